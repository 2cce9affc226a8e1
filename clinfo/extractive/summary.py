"""A typed summary of one article for one question, its finding copied word for word from the
abstract.
"""

from __future__ import annotations

from clinfo.evidence.conclusion import stance
from clinfo.records.articles import Article, Summary
from clinfo.text.design import risk_of_bias, study_design
from clinfo.text.direction import direction
from clinfo.text.keysentence import finding_sentences
from clinfo.text.prompt_injection import without_steering
from clinfo.text.sample_size import population, sample_size

NOTHING_TOLD = "No sentence of this article states a finding."


def summarise(question: str, article: Article) -> Summary:
    """Return what the abstract says to the question; for an article without one, its title, which
    answers nothing.
    """
    sentences = finding_sentences(article, question)
    design = study_design(article)
    size = sample_size(article)
    conclusions = [sentence for sentence in sentences if sentence.role == "conclusion"] or list(
        sentences
    )
    others = [sentence for sentence in sentences if sentence not in conclusions]
    finding = " ".join(sentence.text for sentence in [*conclusions, *others])
    return Summary(
        finding=finding or without_steering(article.title) or NOTHING_TOLD,
        design=design,
        sample_size=size,
        population=population(article),
        bias=risk_of_bias(article, design, size),
        stance=stance(question, article)
        if sentences and design != "study protocol"
        else "other outcomes",
        effect_direction=direction(" ".join(sentence.text for sentence in conclusions)),
    )
