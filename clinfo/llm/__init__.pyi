from clinfo.llm.model_names import LOCAL_PROVIDERS, provider_of
from clinfo.llm.prices import Price
from clinfo.llm.prompts import Prompt, PromptSet

__all__ = [
    "LOCAL_PROVIDERS",
    "Price",
    "Prompt",
    "PromptSet",
    "provider_of",
]
