"""litellm, imported when first needed (2–3 s) and told to keep to itself: no fetching, no
telemetry, no logging.
"""

import contextlib
import importlib
import logging
import os
import threading
import warnings
from typing import Any

_lock = threading.Lock()
_module: Any = None


def is_loaded() -> bool:
    """Return whether `load` would return at once."""
    return _module is not None


def load() -> Any:
    """The litellm module. The first call takes seconds: on an event loop, make it in a thread."""
    global _module
    if _module is not None:
        return _module
    with _lock:
        if _module is None:
            # Must be set before the import, to this very word; else litellm fetches its price list
            # from the network.
            os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
            import litellm

            litellm.suppress_debug_info = True
            litellm.turn_off_message_logging = True
            litellm.drop_params = False
            # Else counting the tokens of some models begins with fetching their tokenizers.
            litellm.disable_hf_tokenizer_download = True
            for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
                # Its messages hold requests and replies, at every level.
                logging.getLogger(name).setLevel(logging.CRITICAL + 1)
            # pydantic complains of litellm's own types when a stream is first read.
            warnings.filterwarnings("ignore", category=UserWarning, module=r"pydantic\.")
            # A call that is cancelled while litellm prepares it leaves a coroutine of litellm's
            # behind.
            warnings.filterwarnings(
                "ignore",
                message=r"coroutine '\S*acompletion' was never awaited",
                category=RuntimeWarning,
            )
            _behind_the_gate()
            with contextlib.suppress(ImportError):
                # What litellm leaves to its first call: most of a second, and on the event loop.
                importlib.import_module("openai.resources")
                litellm.token_counter(model="", text="The first count loads a tokenizer.")
            _module = litellm
        return _module


def _behind_the_gate() -> None:
    """Have what servers answer pass `clinfo.llm.gate` before litellm reads it, which has no place
    for that of its own.
    """
    from litellm.llms.custom_httpx.aiohttp_transport import LiteLLMAiohttpTransport

    from clinfo.llm.gate import mended

    send = LiteLLMAiohttpTransport.handle_async_request

    async def handle_async_request(self: Any, request: Any) -> Any:
        return await mended(request, await send(self, request))

    LiteLLMAiohttpTransport.handle_async_request = handle_async_request  # type: ignore[method-assign]
