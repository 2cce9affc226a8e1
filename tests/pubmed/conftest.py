"""An E-utilities server over the citations of `edirect_citations`."""

import threading
from collections.abc import Iterator

import pytest
import waitress

from clinfo.pubmed.eutils import PATH, EutilsApplication
from clinfo.pubmed.index import LocalIndex, build
from tests.pubmed.edirect_citations import XML


@pytest.fixture(scope="session")
def eutils_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Its address, with a slash at the end."""
    folder = tmp_path_factory.mktemp("edirect_index")
    (folder / "all.xml").write_text(XML, encoding="utf-8")
    build([folder / "all.xml"], folder / "index")
    index = LocalIndex.open(folder / "index")
    server = waitress.create_server(EutilsApplication(index), host="127.0.0.1", port=0, threads=4)
    threading.Thread(target=server.run, daemon=True).start()
    yield f"http://127.0.0.1:{server.effective_port}{PATH}"
    server.close()
    index.close()
