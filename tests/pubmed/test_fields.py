"""Every tag of the user guide, its spellings and what can be asked of it."""

import pytest

from clinfo.pubmed.fields import BY_CODE, FIELDS, field_of

GUIDE = """
    ad all aid au 1au lastau fau auid cn ir fir ps ti tiab tw tt ot ta jid vi ip pg la pt mh majr sh nm rn pa dp pdat epdat ppdat
    edat crdt mhda dcom lr sb filter gr si cois lid pmid pl book ed isbn pubn
"""  # noqa: E501


@pytest.mark.parametrize("tag", GUIDE.split())
def test_every_tag_of_the_guide_is_known(tag: str) -> None:
    assert field_of(tag) is not None
    assert field_of(f" {tag.upper()} ") == field_of(tag)


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("MeSH Terms", "mh"),
        ("Mesh", "mh"),
        ("mesh terms", "mh"),
        ("MESH", "mh"),
        ("mesh major topic", "majr"),
        ("Title/Abstract", "tiab"),
        ("title / abstract", "tiab"),
        ("TIAB", "tiab"),
        ("TITL", "ti"),
        ("Title", "ti"),
        ("All Fields", "all"),
        ("Text Word", "tw"),
        ("WORD", "tw"),
        ("Publication Type", "pt"),
        ("PTYP", "pt"),
        ("Date - Publication", "dp"),
        ("pdat", "dp"),
        ("publication date", "dp"),
        ("filter", "sb"),
        ("uid", "pmid"),
        ("Subheading", "sh"),
        ("Supplementary Concept", "nm"),
        ("substance name", "nm"),
        ("Author - First", "1au"),
        ("First Author", "1au"),
        ("Journal", "ta"),
        ("EDAT", "edat"),
        ("Date - Entry", "edat"),
        ("MDAT", "lr"),
        ("CDAT", "dcom"),
        ("EC/RN Number", "rn"),
        ("Other Term", "ot"),
        ("Affiliation", "ad"),
        ("Language", "la"),
        ("PAPX", "pa"),
        ("DOI", "aid"),
    ],
)
def test_spellings(tag: str, code: str) -> None:
    found = field_of(tag)
    assert found is not None
    assert found.code == code


@pytest.mark.parametrize(
    "tag", ["", " ", "foo", "ab", "abstract", "18F", "mh:noexp", "tiab:~2", "m\u0435sh", "ti§"]
)
def test_unknown_tags(tag: str) -> None:
    assert field_of(tag) is None


def test_no_spelling_means_two_fields() -> None:
    seen: dict[str, str] = {}
    for one in FIELDS:
        for spelling in {one.code, one.name.lower(), *one.spellings}:
            plain = "".join(char for char in spelling.lower() if char.isalnum())
            assert seen.setdefault(plain, one.code) == one.code
            assert field_of(spelling) == one
    assert list(BY_CODE) == [one.code for one in FIELDS]


def test_what_fields_allow() -> None:
    assert {one.code for one in FIELDS if one.proximity} == {"ti", "tiab", "ad"}
    assert {one.code for one in FIELDS if one.explodes} == {"mh", "majr", "sh", "pt", "pa"}
    assert {one.code for one in FIELDS if one.ranges} == {
        "dp",
        "epdat",
        "ppdat",
        "edat",
        "crdt",
        "mhda",
        "dcom",
        "lr",
        "pmid",
    }
