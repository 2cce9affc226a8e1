"""The list of metrics, what may be asked of it, and what it says of each."""

from importlib.metadata import version

import pytest

from benchmarks.pubmedrs200.metrics import registry
from clinfo.errors import UsageError

NAMES = [
    *(
        "rouge_l",
        "meteor",
        "chrf",
        "google_bleu",
        "character",
        "exact_match",
        "word_length",
        "bertscore",
        "ctc_sf",
    ),
    *(
        "unieval_coherence",
        "unieval_consistency",
        "unieval_fluency",
        "unieval_relevance",
        "unieval_overall",
    ),
    *("comet", "ctc_consistency"),
]


def test_all_metrics_in_the_order_of_the_benchmark() -> None:
    assert list(registry.SPECS) == NAMES
    assert [spec.name for spec in registry.SPECS.values()] == NAMES
    assert NAMES[:7] == list(registry.LEXICAL)
    assert NAMES[7:] == list(registry.NEURAL)
    assert [name for name in NAMES if registry.SPECS[name].neural] == NAMES[7:]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("all", NAMES),
        ("lexical", NAMES[:7]),
        ("neural", NAMES[7:]),
        (" chrf , rouge_l,chrf,", ["rouge_l", "chrf"]),
        ("comet,lexical", [*NAMES[:7], "comet"]),
    ],
)
def test_checked_names(text: str, names: list[str]) -> None:
    assert registry.checked_names(text) == tuple(names)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("rouge-l", "did you mean rouge_l"),
        ("rouge_l,meteorr", "“meteorr”; did you mean meteor"),
        ("UNIEVAL", "unieval_"),
        ("zzz", "there are rouge_l, meteor"),
        ("", "no metric is named"),
        (" , ", "no metric is named"),
    ],
)
def test_names_that_are_not_known(text: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        registry.checked_names(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_each_is_loaded_once() -> None:
    scorers = registry.load(["chrf", "rouge_l", "chrf"])
    rouge, chrf = scorers
    assert chrf.signatures["chrf"].startswith(f"sacrebleu:{version('sacrebleu')}|")
    assert f"rouge-score:{version('rouge-score')}|" in rouge.signatures["rouge_l"]
    with pytest.raises(UsageError, match="did you mean chrf"):
        registry.load(["chrff"])


def test_a_metrics_file_is_one_that_evaluate_loads() -> None:
    import evaluate

    metric = evaluate.load("benchmarks/pubmedrs200/metrics/rouge_l.py")
    told = metric.compute(predictions=["a b", "c"], references=["a b", "d"])
    assert (told["rouge_l"], told["scores"]) == (0.5, {"rouge_l": [1.0, 0.0]})
