"""A language model."""

from clinfo.claims.registry import JudgeSpec

JUDGE = JudgeSpec(
    name="model",
    title="A language model",
    note="Reads the sentences and the abstracts they cite, and must quote.",
    brief="a language model, CLINFO_MODEL_VERIFY, else the model",
    model=True,
    order=1,
)
