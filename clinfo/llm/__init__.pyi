from clinfo.llm.model_names import LOCAL_PROVIDERS, provider_of
from clinfo.llm.prices import Price

__all__ = [
    "LOCAL_PROVIDERS",
    "Price",
    "provider_of",
]
