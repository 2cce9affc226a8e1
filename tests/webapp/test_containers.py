"""Dockerfile, compose.yaml and .dockerignore say what Procfile, settings and packaging say. That an
image is built of them is no test of ours: it needs a registry of base images.
"""

import re
from pathlib import Path

import yaml

from clinfo.settings import Settings
from clinfo.settings import variable as chain_variable
from webapp.settings import WebSettings
from webapp.settings import variable as web_variable

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
OURS = {name: one for name, one in COMPOSE["services"].items() if "build" in one}
PROCFILE = dict(
    re.split(r":\s*", line, maxsplit=1) for line in (ROOT / "Procfile").read_text().splitlines()
)
VARIABLES = {
    *(chain_variable(name) for name in Settings.model_fields),
    *(web_variable(name) for name in WebSettings.model_fields),
}


def steps() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile: a word in capitals and what follows it."""
    lines = [
        line for line in (ROOT / "Dockerfile").read_text().splitlines() if not line.startswith("#")
    ]
    whole = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [tuple(line.split(maxsplit=1)) for line in whole if line.strip()]


FINAL = steps()[[word for word, _ in steps()].index("FROM") + 1 :]
FINAL = FINAL[[word for word, _ in FINAL].index("FROM") + 1 :]


def test_each_part_of_the_procfile_is_a_service_with_its_command() -> None:
    assert {name: one["command"] for name, one in OURS.items()} == PROCFILE


def test_variables_are_settings_and_secrets_are_asked_for() -> None:
    image = {
        part.partition("=")[0] for word, rest in FINAL if word == "ENV" for part in rest.split()
    }
    assert image - VARIABLES == {"PATH", "HOME", "PYTHONUNBUFFERED"}
    for service in OURS.values():
        assert service["environment"].keys() <= VARIABLES
        assert service["environment"]["SECRET_KEY"].startswith("${SECRET_KEY:?")
        assert ":${POSTGRES_PASSWORD:?" in service["environment"]["DATABASE_URL"]


def test_ports_and_names_agree() -> None:
    services, port = COMPOSE["services"], str(WebSettings.model_fields["port"].default)
    listened = OURS["web"]["environment"]["PORT"]
    assert [rest for word, rest in FINAL if word == "EXPOSE"] == [port] == [listened]
    (published,) = OURS["web"]["ports"]
    assert published.startswith("127.0.0.1:")
    assert published.endswith(f":{listened}")
    url = re.fullmatch(
        r"postgresql://(\w+):.*@(\w+)/(\w+)", OURS["web"]["environment"]["DATABASE_URL"]
    )
    assert url
    stated = services[url[2]]["environment"]
    assert (stated["POSTGRES_USER"], stated["POSTGRES_DB"]) == (url[1], url[3])
    assert f"--username={url[1]}" in services[url[2]]["healthcheck"]["test"]
    assert OURS["web"]["environment"]["REDIS_URL"].startswith("redis://redis:")
    for service in services.values():
        assert service.get("depends_on", {}).keys() <= services.keys()
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in COMPOSE["volumes"]


def test_the_final_image_runs_as_nobody_in_particular_and_installs_nothing() -> None:
    assert [rest for word, rest in FINAL if word == "USER"] == ["10001"]
    run = " ".join(rest for word, rest in FINAL if word == "RUN")
    assert not re.search(r"\b(pip|apt|apt-get) .*\binstall\b|\bgcc\b", run.split("&&", 1)[1])
    assert re.search(r"rm -rf \S*/bin/pip", run)
    (healthcheck,) = [rest for word, rest in FINAL if word == "HEALTHCHECK"]
    compile(yaml.safe_load(healthcheck.split("CMD", 1)[1])[2], "healthcheck", "exec")
    assert "/healthz" in healthcheck
