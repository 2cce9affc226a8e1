"""What nobody judged is never said to be checked."""

from clinfo.pipelines.literature.answer import build_answer
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.views.counts import checked
from clinfo.views.steps import tldr
from tests.fakes import FakeModel, FakeSource, articles, request, run_events


def test_sentences_that_nobody_judged_are_not_verified_wherever_they_are_told_of() -> None:
    events = run_events(request(judge="none"), FakeModel(), FakeSource(articles(9)))
    assert tldr(LiteratureLog(events)).said == "1 sentence, not verified"
    assert checked(build_answer(events)) == "7 sentences, none verified; judged by nobody."
