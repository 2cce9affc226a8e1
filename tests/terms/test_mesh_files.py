"""NLM's files of descriptors: written by hand as NLM writes them, and the whole shared list put
into each form.
"""

import gzip
import hashlib
from pathlib import Path

import pytest

from clinfo.errors import RecordError
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_files import DescriptorFile, load

XML = """<?xml version="1.0"?>
<!DOCTYPE DescriptorRecordSet SYSTEM "https://www.nlm.nih.gov/databases/dtd/nlmdescriptorrecordset_20250101.dtd">
<DescriptorRecordSet LanguageCode = "eng">
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D006973</DescriptorUI>
  <DescriptorName>
   <String>Hypertension</String>
  </DescriptorName>
  <DateCreated>
   <Year>1999</Year>
   <Month>01</Month>
   <Day>01</Day>
  </DateCreated>
  <AllowableQualifiersList>
   <AllowableQualifier>
    <QualifierReferredTo>
     <QualifierUI>Q000188</QualifierUI>
      <QualifierName>
      <String>drug therapy</String>
      </QualifierName>
    </QualifierReferredTo>
    <Abbreviation>DT</Abbreviation>
   </AllowableQualifier>
  </AllowableQualifiersList>
  <SeeRelatedList>
   <SeeRelatedDescriptor>
    <DescriptorReferredTo>
     <DescriptorUI>D000959</DescriptorUI>
      <DescriptorName>
      <String>Antihypertensive Agents</String>
      </DescriptorName>
    </DescriptorReferredTo>
   </SeeRelatedDescriptor>
  </SeeRelatedList>
  <TreeNumberList>
   <TreeNumber>C14.907.489</TreeNumber>
  </TreeNumberList>
  <ConceptList>
   <Concept PreferredConceptYN="Y">
    <ConceptUI>M0010641</ConceptUI>
    <ConceptName>
     <String>Hypertension</String>
    </ConceptName>
    <ScopeNote>Persistently high systemic arterial BLOOD PRESSURE.
    </ScopeNote>
    <TermList>
     <Term  ConceptPreferredTermYN="Y"  IsPermutedTermYN="N"  LexicalTag="NON"  RecordPreferredTermYN="Y">
      <TermUI>T020790</TermUI>
      <String>Hypertension</String>
      <ThesaurusIDlist>
       <ThesaurusID>NLM (1966)</ThesaurusID>
      </ThesaurusIDlist>
     </Term>
     <Term  ConceptPreferredTermYN="N"  IsPermutedTermYN="N"  LexicalTag="NON"  RecordPreferredTermYN="N">
      <TermUI>T020788</TermUI>
      <String>Blood Pressure, High</String>
     </Term>
     <Term  ConceptPreferredTermYN="N"  IsPermutedTermYN="Y"  LexicalTag="NON"  RecordPreferredTermYN="N">
      <TermUI>T020788</TermUI>
      <String>High Blood Pressure</String>
     </Term>
    </TermList>
   </Concept>
  </ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass = "3">
  <DescriptorUI>D005260</DescriptorUI>
  <DescriptorName>
   <String>Female</String>
  </DescriptorName>
  <ConceptList>
   <Concept PreferredConceptYN="Y">
    <ConceptUI>M0008402</ConceptUI>
    <ConceptName>
     <String>Female</String>
    </ConceptName>
    <TermList>
     <Term  ConceptPreferredTermYN="Y"  IsPermutedTermYN="N"  LexicalTag="NON"  RecordPreferredTermYN="Y">
      <TermUI>T016342</TermUI>
      <String>Female</String>
     </Term>
    </TermList>
   </Concept>
  </ConceptList>
</DescriptorRecord>
<DescriptorRecord DescriptorClass = "1">
  <DescriptorUI>D000001</DescriptorUI>
  <DescriptorName>
   <String>Calcimycin</String>
  </DescriptorName>
  <TreeNumberList>
   <TreeNumber>D03.633.100.221.173</TreeNumber>
  </TreeNumberList>
  <PharmacologicalActionList>
   <PharmacologicalAction>
    <DescriptorReferredTo>
     <DescriptorUI>D000900</DescriptorUI>
     <DescriptorName>
      <String>Anti-Bacterial Agents</String>
     </DescriptorName>
    </DescriptorReferredTo>
   </PharmacologicalAction>
  </PharmacologicalActionList>
  <ConceptList>
   <Concept PreferredConceptYN="Y">
    <ConceptUI>M0000001</ConceptUI>
    <ConceptName>
     <String>Calcimycin</String>
    </ConceptName>
    <TermList>
     <Term  ConceptPreferredTermYN="Y"  IsPermutedTermYN="N"  LexicalTag="NON"  RecordPreferredTermYN="Y">
      <TermUI>T000002</TermUI>
      <String>Calcimycin</String>
     </Term>
    </TermList>
   </Concept>
   <Concept PreferredConceptYN="N">
    <ConceptUI>M0353609</ConceptUI>
    <ConceptName>
     <String>A-23187</String>
    </ConceptName>
    <TermList>
     <Term  ConceptPreferredTermYN="Y"  IsPermutedTermYN="N"  LexicalTag="LAB"  RecordPreferredTermYN="N">
      <TermUI>T000001</TermUI>
      <String>A-23187</String>
     </Term>
     <Term  ConceptPreferredTermYN="N"  IsPermutedTermYN="Y"  LexicalTag="LAB"  RecordPreferredTermYN="N">
      <TermUI>T000001</TermUI>
      <String>A 23187</String>
     </Term>
     <Term  ConceptPreferredTermYN="N"  IsPermutedTermYN="Y"  LexicalTag="NON"  RecordPreferredTermYN="N">
      <TermUI>T000003</TermUI>
      <String>A23187, Antibiotic</String>
     </Term>
    </TermList>
   </Concept>
  </ConceptList>
</DescriptorRecord>
</DescriptorRecordSet>
"""  # noqa: E501

JSONL = """{"ui": "D006973", "heading": "Hypertension", "entry_terms": ["Blood Pressure, High", "High Blood Pressure"], \
"tree_numbers": ["C14.907.489"], "category": ["C"]}
{"ui": "D005260", "heading": "Female"}

{"ui": "D000001", "heading": "Calcimycin", "entry_terms": ["A-23187", "A 23187", "A23187, Antibiotic"], \
"tree_numbers": ["D03.633.100.221.173"], "actions": ["Anti-Bacterial Agents"]}
"""  # noqa: E501

DESCRIPTORS = [
    MeshDescriptor(
        "D006973", "Hypertension", ("Blood Pressure, High", "High Blood Pressure"), ("C14.907.489",)
    ),
    MeshDescriptor("D005260", "Female"),
    MeshDescriptor(
        "D000001",
        "Calcimycin",
        ("A-23187", "A 23187", "A23187, Antibiotic"),
        ("D03.633.100.221.173",),
        ("Anti-Bacterial Agents",),
    ),
]


def written(folder: Path, name: str, content: str | bytes) -> Path:
    data = content.encode() if isinstance(content, str) else content
    path = folder / name
    path.write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize(
    ("name", "content", "year"),
    [
        ("desc2025.xml", XML, 2025),
        ("desc2024.xml.gz", XML, 2024),
        ("mesh.xml", XML, 2025),
        ("windows.xml", "\ufeff" + XML.replace("\n", "\r\n"), 2025),
        ("mine.jsonl", JSONL, None),
        ("mine.jsonl.gz", JSONL, None),
    ],
)
def test_each_form_gives_the_same_descriptors(tmp_path, name, content, year):
    file = DescriptorFile(written(tmp_path, name, content))
    assert list(file.read()) == DESCRIPTORS
    assert file.year == year
    assert file.sha256 == hashlib.sha256(file.path.read_bytes()).hexdigest()


def test_a_file_becomes_a_table_with_its_year_and_its_digest(tmp_path):
    path, table = written(tmp_path, "desc2025.xml.gz", XML), tmp_path / "data" / "mesh.sqlite"
    seen: list[tuple[int, int, int]] = []
    edition = load(path, table, progress=lambda *how_far: seen.append(how_far))
    assert (edition.year, edition.source, edition.descriptors, edition.entry_terms) == (
        2025,
        "desc2025.xml.gz",
        3,
        5,
    )
    assert edition.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert seen == [(3, path.stat().st_size, path.stat().st_size)]
    assert Mesh(table).edition == edition
    assert load(written(tmp_path, "some.jsonl", JSONL), table, year=2020).year == 2020
    assert Mesh(table).edition.source == "some.jsonl"
    assert [file.name for file in table.parent.iterdir()] == ["mesh.sqlite"]


SUPPLEMENTARY = (
    '<?xml version="1.0"?>\n<!DOCTYPE SupplementalRecordSet SYSTEM "x.dtd">\n'
    "<SupplementalRecordSet/>"
)
BROKEN = {
    "truncated.xml.gz": (gzip.compress(XML.encode())[:-40], "is cut off or damaged"),
    "flipped.xml.gz": (
        gzip.compress(XML.encode())[:-6] + b"\0\0\0\0\0\0",
        "cannot be read: CRC check failed",
    ),
    "truncated.xml": (XML[:2500].encode(), "is cut off or damaged (line "),
    "truncated.jsonl": (JSONL[:-40].encode(), "has something other than a descriptor in line 4"),
    "numbers.jsonl": (
        b'{"ui": 7, "heading": "x"}\n',
        "has something other than a descriptor in line 1",
    ),
    "empty.xml": (b"", "is empty"),
    "empty.xml.gz": (gzip.compress(b" \n "), "is empty"),
    "page.xml": (b"\n<!DOCTYPE html>\n<html><body>Not found</body></html>", "is a web page"),
    "page.html": (b"<HTML><body>", "is a web page"),
    "supp2025.xml": (SUPPLEMENTARY.encode(), "holds NLM's supplementary concepts"),
    "qual2025.xml": (b"<?xml version='1.0'?><QualifierRecordSet/>", "holds NLM's qualifiers"),
    "citations.xml": (b"<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>", "holds citations"),
    "other.xml": (b"<records><record/></records>", "contains no descriptors"),
    "none.xml": (b"<DescriptorRecordSet></DescriptorRecordSet>", "contains no descriptors"),
    "twice.jsonl": ((JSONL + JSONL).encode(), "D006973 occurs in it twice"),
    "nameless.jsonl": (b'{"ui": "D005260", "heading": " "}', "D005260 has no heading"),
    "unnumbered.jsonl": (b'{"ui": "5", "heading": "x"}', "descriptor 1 has no unique identifier"),
    "mtrees2025.bin": (b"Body Regions;A01\nAbdomen;A01.923.047\n", "has an unknown format"),
    "latin.jsonl": (
        JSONL.replace("Female", "Femmelle é").encode("latin-1"),
        "contains bytes that are not UTF-8",
    ),
    "picture.png": (b"\x89PNG\r\n\x1a\n\0\0", "has an unknown format"),
    "archive.gz": (b"\x1f\x8b\x08\x00garbage", "is cut off or damaged"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_cannot_be_used_is_one_clear_line_and_leaves_the_table_as_it_was(
    tmp_path, name
):
    content, told = BROKEN[name]
    path, table = tmp_path / name, tmp_path / "data" / "mesh.sqlite"
    path.write_bytes(content)
    load(written(tmp_path, "mine.jsonl", JSONL), table)
    before = table.read_bytes()
    with pytest.raises(RecordError) as raised:
        load(path, table)
    assert str(raised.value).startswith(f"{name} ")
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)
    assert table.read_bytes() == before
    assert [file.name for file in table.parent.iterdir()] == ["mesh.sqlite"]


def test_entities_and_doctypes_reach_nothing(tmp_path):
    secret = written(tmp_path, "secret.txt", "the secret")
    declared = f'<!DOCTYPE DescriptorRecordSet [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    body = XML[XML.index("<DescriptorRecordSet") :].replace(
        "<String>Female</String>", "<String>Female &x;</String>"
    )
    path = written(tmp_path, "desc2025.xml", f'<?xml version="1.0"?>\n{declared}\n{body}')
    assert "secret" not in repr(list(DescriptorFile(path).read()))
