"""Inputs in the shape of faults that users of comparable tools reported, each tried through the
program itself, without a model and with a scripted one.

The inputs here are our own. Those of the shared folder, where there is one, stand for the same
kinds and must give the same.
"""

import asyncio
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.model import ModelServer, Raw
from clinfo.cli import run as program
from tests.mcp_server.serving import call, refusal, stdio
from tests.shared_data import SHARED

FOLDER = SHARED / "field_reports"
Json = dict[str, Any]
Reply = str | Json | Raw
MODEL = "openai/scripted"
LOINC = "http://loinc.org"
ANSWER = "Yoga lowered systolic blood pressure [1]. It did not change weight [2]."
QUESTION = "Does yoga lower blood pressure?"


def bundle(*resources: Json) -> str:
    entries = [{"resource": one} for one in resources]
    return json.dumps({"resourceType": "Bundle", "type": "collection", "entry": entries})


def patient(id: str, sex: str = "female") -> Json:
    return {"resourceType": "Patient", "id": id, "birthDate": "1960-02-03", "gender": sex}


def entry(kind: str, of: str, name: str, **more: Any) -> Json:
    field = {"MedicationRequest": "medicationCodeableConcept"}.get(kind, "code")
    named = {field: {"text": name}} if name else {}
    about = {"subject": {"reference": f"Patient/{of}"}}
    return {"resourceType": kind, "id": f"{of}-{name}-{more.get('n')}"} | named | about | more


def measured(of: str, name: str, day: str, status: str = "final", **more: Any) -> Json:
    return entry("Observation", of, name, status=status, effectiveDateTime=day, **more)


def pressure(of: str, day: str, *parts: tuple[str, str, int]) -> Json:
    components = [
        {"code": {"coding": [{"system": LOINC, "code": code, "display": name}]},
         "valueQuantity": {"value": value, "unit": "mm[Hg]"}}
        for name, code, value in parts
    ]  # fmt: skip
    code = {"coding": [{"system": LOINC, "code": "85354-9", "display": "Blood pressure"}]}
    return measured(of, "", day, code=code, component=components, n=day)


def status(name: str, code: str) -> Json:
    return {name: {"coding": [{"code": code}]}}


def egfr(of: str, **value: Any) -> Json:
    code = {"text": "eGFR", "coding": [{"system": LOINC, "code": "33914-3"}]}
    quantity = {"unit": "mL/min/1.73m2"} | value
    return measured(of, "", "2022-06-01", code=code, valueQuantity=quantity)


def creatinine(value: float, day: str, status: str) -> Json:
    code = {"coding": [{"system": LOINC, "code": "2160-0", "display": "Creatinine"}]}
    quantity = {"value": value, "unit": "mg/dL"}
    return measured("c", "", day, status, code=code, valueQuantity=quantity, n=value)


def pubmed(pmid: int, title: str, inside: str, outside: str = "") -> str:
    date = "<PubDate><Year>2018</Year></PubDate>" if "<PubDate>" not in inside else ""
    dated, _, rest = inside.rpartition("</PubDate>")
    when = f"{dated}</PubDate>" if dated else date
    return (
        f'<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID>{pmid}</PMID><Article><Journal>'
        f"<JournalIssue>{when}</JournalIssue><Title>Made-up journal</Title></Journal>"
        f"<ArticleTitle>{title}</ArticleTitle>{rest}</Article>{outside}</MedlineCitation>"
        "</PubmedArticle>"
    )


CIVIC = (
    "molecular_profile\tmolecular_profile_id\tdisease\tdoid\tphenotypes\ttherapies\t"
    "therapy_interaction_type\tevidence_type\tevidence_direction\tevidence_level\tsignificance\t"
    "evidence_statement\tcitation_id\tsource_type\tasco_abstract_id\tcitation\tnct_ids\trating\t"
    "evidence_status\tevidence_id\tvariant_origin\tlast_review_date\tevidence_civic_url\t"
    "molecular_profile_civic_url\tis_flagged\n"
)
CIVIC_ROW = (
    "{0}\t1\tMelanoma\t1909\t\t{1}\t\tPredictive\tSupports\tB\t{2}\t{3}\t90000009\tPubMed\t\t"
    "Poe, 2022\t\t3\t{4}\t{5}\tSomatic\t2024-01-01\thttps://x\thttps://y\t{6}\n"
)
TESTED: tuple[tuple[str, Json], ...] = (
    ("Hepatitis B surface Ag", {"valueCodeableConcept": {"text": "Non-reactive"}}),
    ("Hepatitis C antibody", {"valueString": "negative"}),
    ("Tuberculosis screening", {"valueCodeableConcept": {"coding": [{"code": "260385009"}]}}),
    ("CHLAMYDIA TRACHOMATIS DNA", {"interpretation": [{"coding": [{"code": "ND"}]}]}),
    ("Influenza A RNA", {"valueBoolean": False}),
    ("SARS-CoV-2 RNA", {"valueCodeableConcept": {"text": "Positive"}}),
    ("Depression screening", {"valueCodeableConcept": {"text": "absent"}}),
)
OWN: dict[str, str] = {
    "fhir_blood_pressure_components.json": bundle(
        patient("b"),
        pressure("b", "2023-04-09", ("Diastolic pressure", "8462-4", 84),
                 ("Systolic pressure", "8480-6", 132)),
        pressure("b", "2020-01-30", ("Systolic pressure", "8480-6", 170),
                 ("Diastolic pressure", "8462-4", 99)),
    ),
    "fhir_medication_reference_display.json": bundle(
        patient("m"),
        *(
            entry("MedicationRequest", "m", "", status="active", intent="order", authoredOn=day,
                  medicationReference={"reference": to, "display": f"{name} tablet"}, n=to)
            for name, to, day in (
                ("Hydrocortisone", "https://made-up.example/r4/Medication/771", "2023-04-01"),
                ("Atorvastatin", "Medication/away", "2023-04-02"),
            )
        ),
        entry("MedicationRequest", "m", "", status="active", intent="order",
              authoredOn="2023-04-03", medicationReference={"reference": "#z"},
              contained=[{"resourceType": "Medication", "id": "z",
                          "code": {"text": "Metformin tablet"}}]),
    ),
    "fhir_negative_results.json": bundle(
        patient("n"),
        *(measured("n", name, "2021-11-12", **found) for name, found in TESTED),
    ),
    "fhir_cancelled_observation.json": bundle(
        patient("c"), creatinine(9.9, "2023-05-05", "cancelled"),
        creatinine(1.1, "2023-03-01", "final"),
    ),
    "fhir_condition_code_only.json": bundle(
        patient("k"),
        entry("Condition", "k", "", onsetDateTime="2017",
              code={"coding": [{"system": "http://hl7.org/fhir/sid/icd-10-cm", "code": "E11.9"}]}),
    ),
    "fhir_value_with_comparator.json": bundle(
        patient("cm1"), egfr("cm1", value=90, comparator=">"), patient("cm2"), egfr("cm2", value=42)
    ),
    "fhir_statuses_that_hold.json": bundle(
        patient("s"),
        entry("Condition", "s", "Asthma", **status("verificationStatus", "entered-in-error")),
        entry("Condition", "s", "Pneumonia", **status("verificationStatus", "refuted")),
        entry("Condition", "s", "Gout", onsetDateTime="2020", **status("clinicalStatus", "active")),
        entry("MedicationRequest", "s", "Ibuprofen 200 mg", status="active", intent="order",
              doNotPerform=True, authoredOn="2022-09-09"),
    ),
    "note_egfr_is_no_mutation.txt": "Seen for kidneys. eGFR 45, no worse than in spring.\n",
    "note_egfr_and_mutation.txt": "Known EGFR mutation (exon 19), eGFR 45 today.\n",
    "cohort_criteria.tsv": (
        "criterion\tright form\tsource\n"
        "women and men of 21 years and more\t(male or female) and aged at least 21\t\n"
        "male or female, older than 65\t(male or female) and aged over 65\t\n"
        "psoriasis that lasted two years\task back, naming the words on duration\t\n"
    ),
    "pubmed_odd_records.xml": "<PubmedArticleSet>{}</PubmedArticleSet>".format("".join((
        pubmed(95000001, "Zinclozine in cells", "<Abstract><AbstractText>10<sup>6</sup> cells and "
               "2 × 10<sup>-3</sup> mol at 31 kg/m<sup>2</sup>; HbA<sub>1c</sub> was 7%."
               "</AbstractText></Abstract>"),
        pubmed(95000002, "Zinclozine twice", "", '<OtherAbstract Language="eng"><AbstractText>'
               "Zinclozine reduced pain in 120 women.</AbstractText></OtherAbstract>"),
        pubmed(95000003, "Zinclozine again", '<ELocationID EIdType="doi" ValidYN="N">10.1000/wrong'
               '</ELocationID><ELocationID EIdType="doi" ValidYN="Y">10.1000/right.1</ELocationID>'
               '<ELocationID EIdType="pii">S1(2)3-4</ELocationID>'),
        pubmed(95000004, "Zinclozine in spring",
               "<PubDate><MedlineDate>Spring 2017</MedlineDate></PubDate>"),
        "<PubmedBookArticle><BookDocument><PMID>95000005</PMID><Book><Publisher><PublisherName>"
        "Invented Publishing</PublisherName></Publisher><BookTitle>InventPearls</BookTitle>"
        "<PubDate><Year>2023</Year></PubDate></Book><ArticleTitle>Zinclozine</ArticleTitle>"
        '<AuthorList Type="editors"><Author><LastName>Editorman</LastName></Author></AuthorList>'
        "<ReferenceList><Reference><ArticleIdList><ArticleId IdType=\"pubmed\">22128211</ArticleId>"
        "</ArticleIdList></Reference></ReferenceList></BookDocument></PubmedBookArticle>",
    ))),
    "pubmed_export.csv": (
        "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,"
        "NIHMS ID,DOI\n"
        '90000040,"Zinclozine of three","Aaa BC, Ddd E, Fff GH; ZINC Study Group.","Made J. 2018.",'
        "Aaa BC,Made J,2018,2018/01/01,,,10.1000/own\n"
        '90000042,"Zinclozine of one","Solo AB.","x",Solo AB,Made J,2018,,,,\n'
        '90000043,"Zinclozine of two","Doe J, Roe R.","x",Doe J,Made J,2018,,,,\n'
    ),
    "nbib_book.nbib": (
        "PMID- 95000010\nSTAT- Publisher\nPB  - Invented Publishing\nDP  - 2021\nTI  - Zinclozine "
        "at\n      large.\nBTI - InventPearls\nFED - Editorman, Ed\nED  - Editorman E\n"
    ),
    "ris_type_not_first.ris": (
        "TI  - Zinclozine first normal\nTY  - JOUR\nER  - \nPY  - 2002\nTI  - Zinclozine second "
        "disordered\nTY  - JOUR\nER  - \nTY  - JOUR\nTI  - Zinclozine third disordered\nER  - \n"
    ),
    "endnote_tagged.enw": (
        "\ufeff%0 Journal Article\n%T Zinclozine endnote αβγ\n%A Μακρή, Άννα\n%D 2018\n\n"
        "%0 Journal Article\n%T Zinclozine endnote two\n%A Doe, J\n"
    ),
    "civic_line_break.tsv": CIVIC + CIVIC_ROW.format(
        "INV1 V600E", "Zinclozine", "Sensitivity/Response",
        '"Zinclozine made ""them"" smaller.\nA second line."', "accepted", "9001", "false"),
    "civic_rejected.tsv": CIVIC + CIVIC_ROW.format(
        "INV1 V600E", "Zinclozine", "Sensitivity/Response", "It helped.", "accepted", "9001",
        "false") + CIVIC_ROW.format(
        "INV1 AMPLIFICATION", "Otherib", "Resistance", "It did not.", "rejected", "9002", "true"),
    "verify_numbers.jsonl": "".join(
        json.dumps({"id": id, "sentence": f"{said} [1].", "cites": [1],
                    "articles": [{"n": 1, "title": "T", "abstract": f"{stood}."}]}) + "\n"
        for id, said, stood in (
            ("dash", "Zinclozine eased coughing (p = .08)", "It eased coughing (p = .08-a trend)"),
            ("range", "It rose by 3 to 5 mg (p = .02)", "It rose by 3-5 mg (p = .02—as hoped)"),
            ("minus", "The difference was −2.5", "The difference was − 2.5"),
            ("power", "They got 4 × 10⁹ cells", "They got 4 × 10^9 cells"),
        )
    ),
    "model_replies.jsonl": "".join(
        json.dumps({"id": id, "message": {"role": "assistant", "content": text} | more,
                    "right_text": right}) + "\n"
        for id, text, more, right in (
            ("unopened-think-text", f"Hm, {{'relevant': 'no'}}.\n</think>\n{ANSWER}", {}, ANSWER),
            ("harmony-text", "<|channel|>analysis<|message|>Hm, [3].<|end|><|start|>assistant"
             f"<|channel|>final<|message|>{ANSWER}", {}, ANSWER),
            ("think-that-holds", f"<think>Hm.</think>{ANSWER}", {}, ANSWER),
            ("unopened-think-json", 'Say {"relevant": "no"}?</think>{"relevant": "yes"}', {},
             '{"relevant": "yes"}'),
            ("all-in-reasoning", "", {"reasoning_content": ANSWER}, None),
            ("citation-form-1", ANSWER.replace("[", "【").replace("]", "†source】"), {}, ANSWER),
            ("citation-form-2", ANSWER.replace("[", "[Study "), {}, ANSWER),
        )
    ),
    "model_errors.jsonl": "".join(
        json.dumps({"id": id, "status": code, "body": body}) + "\n"
        for id, code, body in (
            ("no-system-role", 400, {"object": "error", "message": "System role not supported",
                                     "type": "BadRequestError", "code": 400}),
            ("stream-error", 200, 'data: {"id":"x","object":"chat.completion.chunk","choices":[],'
             '"error":{"code":502,"message":"Provider disconnected: no workers"}}\n\n'),
            ("json-though-stream-asked", 200, {
                "id": "x", "object": "chat.completion",
                "choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWER},
                             "finish_reason": "stop"}]}),
            ("done-without-finish-reason", 200, 'data: {"choices":[{"index":0,"delta":{"content":'
             '"Yoga helped [1]."},"finish_reason":null}]}\n\ndata: [DONE]\n\n'),
        )
    ),
    "mcp_arguments.jsonl": "".join(
        json.dumps({"tool": tool, "arguments": arguments}) + "\n"
        for tool, arguments in (
            ("ask", {"question": QUESTION, "to": "", "from": "", "limits": []}),
            ("ask", {"question": QUESTION, "limits": "rct"}),
            ("ask", {"question": QUESTION, "limits": ["", ""]}),
            ("verify", {"sentences": "Yoga helps.", "articles": [{"title": "Yoga helps."}]}),
        )
    ),
}  # fmt: skip
KINDS = tuple(OWN)
needs_folder = pytest.mark.skipif(not FOLDER.is_dir(), reason="the shared folder is not here")


@pytest.fixture(params=["own", pytest.param("shared", marks=needs_folder)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with a file of every kind: our own, or the shared ones."""
    if request.param == "shared":
        return FOLDER
    for name, text in OWN.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def rows(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture(autouse=True)
def capture(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `run` start the program in this process, which has its tables by then."""
    for name in [one for one in os.environ if one.startswith(("CLINFO_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(run, "captured", capfd.readouterr, raising=False)


def run(
    cwd: Path, *arguments: str, ends: tuple[int, ...] = (0,), env: dict[str, str] | None = None
) -> str:
    """What the program says; on stdout, and after it on stderr."""
    more = {**(env or {}), "CLINFO_DATA_DIR": str(cwd / "data"), "CLINFO_CACHE": "off"}
    with pytest.MonkeyPatch.context() as changed:
        changed.chdir(cwd)
        for name, value in more.items():
            changed.setenv(name, value)
        status = program(arguments)
    out, errors = run.captured()  # type: ignore[attr-defined]
    assert status in ends, out + errors
    return f"{out}\n{errors}"


def told_by(
    cwd: Path, *arguments: str, ends: tuple[int, ...] = (0,), env: dict[str, str] | None = None
) -> str:
    """The same, without line ends."""
    return " ".join(run(cwd, *arguments, ends=ends, env=env).split())


def with_model(server: ModelServer) -> dict[str, str]:
    return {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "sk-test", "CLINFO_MODEL": MODEL,
            "CLINFO_PATIENT_MODELS": MODEL}  # fmt: skip


def stage(body: Json) -> str:
    return str((body.get("response_format") or {}).get("json_schema", {}).get("name") or "")


def said(body: Json) -> str:
    return "\n".join(str(one["content"]) for one in body["messages"])


def supported(body: Json, words: str) -> str:
    """Every sentence shown to the judge is supported by ``words`` of the first article."""
    labels = re.findall(r"^(S\d+):", said(body), re.MULTILINE)
    quotes = [{"article": 1, "words": words}]
    told = [{"label": one, "quotes": quotes, "reason": "", "verdict": "supported"}
            for one in labels]  # fmt: skip
    return json.dumps({"verdicts": told})


CHART = (
    ("fhir_blood_pressure_components.json", "What was the last systolic blood pressure?",
     ("132 mm[Hg]",)),
    ("fhir_blood_pressure_components.json", "last diastolic blood pressure?", ("84 mm[Hg]",)),
    ("fhir_medication_reference_display.json", "on atorvastatin?", ("Atorvastatin", "active")),
    ("fhir_medication_reference_display.json", "on hydrocortisone?", ("Hydrocortisone", "active")),
    ("fhir_negative_results.json", "hepatitis B?", ("Hepatitis B",)),
    ("fhir_negative_results.json", "Chlamydia infection?", ("DNA",)),
    ("fhir_negative_results.json", "Has she COVID-19?", ("SARS-CoV-2 RNA",)),
    ("fhir_negative_results.json", "depression?", ("Depression screening",)),
    ("fhir_cancelled_observation.json", "newest creatinine", ("1.1 mg/dL",)),
    ("fhir_condition_code_only.json", "type 2 diabetes?", ("coded E11.9, name not known",)),
    ("fhir_statuses_that_hold.json", "pneumonia?", ("Pneumonia, refuted",)),
    ("fhir_statuses_that_hold.json", "gout since when?", ("2020", "Gout, active")),
    ("fhir_statuses_that_hold.json", "ibuprofen?", ("do-not-perform",)),
    ("note_egfr_is_no_mutation.txt", "EGFR mutation?", ("None of 1 notes names “EGFR”",)),
    ("note_egfr_is_no_mutation.txt", "eGFR?", ("eGFR 45",)),
    ("note_egfr_and_mutation.txt", "EGFR mutation?", ("exon 19",)),
    ("note_egfr_and_mutation.txt", "eGFR?", ("eGFR 45",)),
)  # fmt: skip
NEVER = {
    "fhir_cancelled_observation.json": "9.9 mg", "fhir_medication_reference_display.json": "4580",
    "fhir_statuses_that_hold.json": "Asthma,",
}  # fmt: skip


def test_a_chart_shows_the_right_entry_and_a_model_is_shown_it(place: Path, tmp_path: Path) -> None:
    for file, question, right in CHART:
        ask = ("chart", "ask", str(place / file), question)
        told = told_by(tmp_path, *ask, ends=(0, 3))
        assert all(one in told for one in right), (question, told)
        assert NEVER.get(file, "\0") not in told
        sought = right[-1] if "None of" not in right[-1] else "eGFR"
        asked: list[str] = []

        def reply(body: Json, sought: str = sought, asked: list[str] = asked) -> Reply:
            if stage(body) != "answer":
                return supported(body, sought)
            asked.append(said(body))
            notes = said(body).partition("Patient:")[2]
            shown = re.split(r"(?m)^\[(\d+)\]", notes)
            found = [(n, line.strip("- ")) for n, text in zip(shown[1::2], shown[2::2], strict=True)
                     for line in text.splitlines() if sought in line]  # fmt: skip
            claims: list[Json] = [
                {"text": f"The record says: {one}.", "note": int(n), "quotation": one, "also": []}
                for n, one in found[-1:]
            ]
            return json.dumps({"claims": claims})

        with ModelServer(reply) as server:
            answered = told_by(tmp_path, *ask, env=with_model(server))
        assert f"The record says: {''}" in answered, answered
        assert sought in answered.partition("HOW THIS WAS FOUND")[0]
        assert NEVER.get(file, "\0") not in "".join(asked) + answered


def test_an_overview_agrees(place: Path, tmp_path: Path) -> None:
    for file, right, wrong in (
        ("fhir_blood_pressure_components.json", ("132 mm[Hg] (2023-04-09)", "84 mm[Hg]"), "Blood"),
        ("fhir_medication_reference_display.json", ("Atorvastatin", "Hydrocortisone"), "4580"),
        ("fhir_cancelled_observation.json", ("1.1 mg/dL (2023-03-01); 1 in all",), "9.9"),
        ("fhir_condition_code_only.json", ("coded E11.9, name not known here",), "None found. ALL"),
        ("fhir_statuses_that_hold.json", ("Gout: 2020",), "Asthma"),
        ("fhir_negative_results.json", ("CONDITIONS AND OPERATIONS None found",), "not known"),
        ("note_egfr_is_no_mutation.txt", ("CONDITIONS AND OPERATIONS None found",), "EGFR"),
    ):
        told = told_by(tmp_path, "chart", "overview", str(place / file))
        assert all(one in told for one in right), (file, told)
        assert wrong not in told.replace("Blood Pressure", ""), (file, told)


COHORT = (
    ("fhir_cancelled_observation.json", "value creatinine > 5", (0, 1, 0)),
    ("fhir_condition_code_only.json", 'condition "type 2 diabetes"', (0, 0, 1)),
    ("fhir_value_with_comparator.json", "value egfr > 60", (1, 1, 0)),
    ("fhir_value_with_comparator.json", "value egfr < 60", (1, 1, 0)),
    ("fhir_value_with_comparator.json", "value egfr > 100", (0, 1, 1)),
    ("fhir_medication_reference_display.json", "drug atorvastatin", (1, 0, 0)),
    ("fhir_blood_pressure_components.json", "value systolic < 90", (0, 1, 0)),
    ("fhir_statuses_that_hold.json", "condition asthma", (0, 0, 1)),
    ("fhir_statuses_that_hold.json", "drug ibuprofen", (0, 1, 0)),
    ("fhir_negative_results.json", "condition covid-19", (1, 0, 0)),
    *(
        ("fhir_negative_results.json", f'condition "{name}"', (0, 1, 0))
        for name in ("hepatitis B", "hepatitis C", "tuberculosis", "chlamydia infections",
                     "influenza", "depression")
    ),
    ("note_egfr_is_no_mutation.txt", "gene EGFR", (0, 0, 1)),
)  # fmt: skip


def test_a_cohort_agrees(place: Path, tmp_path: Path) -> None:
    for number, (file, query, right) in enumerate(COHORT):
        out = str(tmp_path / f"index{number}")
        told_by(tmp_path, "cohort", "build", str(place / file), "--out", out)
        find = ("cohort", "find", out, "--query", query, "--explain", "--json", "--quiet")
        told = json.loads(run(tmp_path, *find, ends=(0, 3)))
        names = ("members", "not_matching", "not_documented")
        assert tuple(told["counts"][one] for one in names) == right, (query, told)
        assert (
            "code_only" not in file
            or "E11.9" in told["others"][0]["criteria"][0]["spans"][0]["quote"]
        )


def test_criteria_in_words_want_a_model_and_are_asked_back(place: Path, tmp_path: Path) -> None:
    """A limit of age behind "men or women" is one of both, and words that no form can say are asked
    back, where the model says so.
    """
    out = str(tmp_path / "index")
    told_by(tmp_path, "cohort", "build", str(place / "fhir_statuses_that_hold.json"), "--out", out)
    lines = (place / "cohort_criteria.tsv").read_text("utf-8").splitlines()[1:]
    assert len(lines) >= 3
    for words, right in (line.split("\t")[:2] for line in lines):
        find = ("cohort", "find", out, words)
        assert "without one write a query" in told_by(tmp_path, *find, ends=(2,))
        low = int(re.findall(r"\d+", right)[0]) + ("over" in right) if "aged" in right else 0
        both = {"or": [{"sex": "male"}, {"sex": "female"}]}
        lasted = {"words": words.split(" ", 1)[1], "reason": "a query cannot say how long"}
        made = {
            "form": {"and": [both, {"age": {"from": low}}]} if low else {"has": words.split()[0]},
            "not_understood": [] if low else [lasted], "assumptions": [], "missing": [],
            "added": [], "assumed": [],
        }  # fmt: skip
        with ModelServer(lambda body, made=made: json.dumps(made)) as server:  # type: ignore[misc]
            told = told_by(tmp_path, *find, ends=(0, 3) if low else (2,), env=with_model(server))
        wanted = f"Read as: (male or female) and age >= {low}" if low else lasted["words"]
        assert wanted in told, told


FILES = (
    ("pubmed_odd_records.xml", "ris",
     ("10^6", "10^-3", "m^2", "HbA1c", "reduced pain in 120 women", "DO - 10.1000/right.1",
      "PY - 2017", "TY - CHAP", "AN - 95000005", "T2 - InventPearls"),
     ("10.1000/wrong", "22128211")),
    ("pubmed_odd_records.xml", "nbib",
     ("BTI - InventPearls", "PB - Invented Publishing", "ED - Editorman"), ("JT - InventP",)),
    ("pubmed_export.csv", "ris",
     ("AU - Aaa, B C AU - Ddd, E AU - Fff, G H AU - ZINC Study Group", "AU - Solo, A B",
      "AU - Doe, J AU - Roe, R"), ()),
    ("nbib_book.nbib", "ris", ("TY - CHAP", "T2 - InventPearls", "A2 - Editorman, Ed"), ()),
    ("nbib_book.nbib", "nbib", ("BTI - InventPearls", "FED - Editorman, Ed"), ("JT - ", "ppubl")),
    ("ris_type_not_first.ris", "ris",
     ("TI - Zinclozine first normal", "TI - Zinclozine second disordered",
      "TI - Zinclozine third disordered", "3 records"), ()),
    ("endnote_tagged.enw", "ris",
     ("TI - Zinclozine endnote αβγ", "TI - Zinclozine endnote two", "2 records"), ()),
)  # fmt: skip


def test_citation_files_are_read_and_written(place: Path, tmp_path: Path) -> None:
    for file, form, right, wrong in FILES:
        source = ("search", "zinclozine", "--source", str(place / file))
        told = told_by(tmp_path, *source, "--all", "--format", form)
        assert all(one in told for one in right), (file, told)
        assert not any(one in told for one in wrong), (file, told)
    out = str(tmp_path / "pubmed")
    told_by(tmp_path, "index", "build", str(place / "pubmed_odd_records.xml"), "--out", out)
    local = ("search", "120 women", "--source", "local", "--all", "--format", "ris")
    assert "AN - 95000002" in told_by(tmp_path, *local, env={"CLINFO_INDEX_DIR": out})


def test_silos_have_what_is_accepted_and_say_what_was_left_out(place: Path, tmp_path: Path) -> None:
    drugs = "Which drugs work for INV1 V600E melanoma?"
    for file in ("civic_line_break.tsv", "civic_rejected.tsv"):
        home = tmp_path / file.partition(".")[0]
        home.mkdir()
        loaded = told_by(home, "copilot", "load", "civic", str(place / file))
        flagged = "9002" in (place / file).read_text("utf-8")
        assert not flagged or "left out: 9002" in loaded
        told = told_by(home, "copilot", "ask", drugs, "--model", "extractive")
        assert "Zinclozine" in told
        assert "level B" in told
        assert "no such change" not in told
        resists = "Which drugs are resistant in INV1 amplification melanoma?"
        told = told_by(home, "copilot", "ask", resists, "--model", "extractive", ends=(0, 3))
        assert "Otherib" not in told

        def reply(body: Json) -> Reply:
            if stage(body) == "write":
                bottom = {"text": "Zinclozine, on level B evidence.", "sources": [1]}
                assert "level of evidence: B" in said(body)
                assert "Otherib" not in said(body)
                return json.dumps({"bottom_line": bottom, "claims": [], "not_found": [],
                                   "conflicts": []})  # fmt: skip
            return "{}" if "tools" not in body else "I have enough."

        with ModelServer(reply) as server:
            told = told_by(home, "copilot", "ask", drugs, "--judge", "none", env=with_model(server))
        assert "Zinclozine, on level B evidence." in told


def test_numbers_stand_where_a_dash_begins_a_clause(place: Path, tmp_path: Path) -> None:
    file = str(place / "verify_numbers.jsonl")
    done = run(tmp_path, "verify", file, "--judge", "none")
    assert [json.loads(line)["notes"] for line in done.split("\n") if line[:1] == "{"] == [[]] * 4
    first = rows(place / "verify_numbers.jsonl")[0]["articles"][0]["abstract"].split(" (")[0]
    with ModelServer(lambda body: supported(body, first)) as server:
        done = run(tmp_path, "verify", file, "--judge", "model", env=with_model(server))
        assert "in none of" not in "".join(said(one.body) for one in server.received)
    told = [json.loads(line) for line in done.split("\n") if line[:1] == "{"]
    assert told[0]["verdict"] == "supported"
    assert {one["verdict"] for one in told} <= {"supported", "not_verified", "partial"}


YOGA = (
    "TY  - JOUR\nTI  - Yoga and pressure\nAB  - Yoga lowered systolic blood pressure.\nER  -\n"
    "TY  - JOUR\nTI  - Yoga and weight\nAB  - Yoga did not change weight.\nER  -\n"
)


def literature(written: Callable[[Json], Reply], judged: Reply = "") -> Callable[[Json], Reply]:
    """A model of the literature whose synthesis is ``written``, and which judges as ``judged``."""
    read = {"relevant": "yes", "reason": "yoga", "finding": "It did.", "answer": "yes"}

    def reply(body: Json) -> Reply:
        if stage(body) == "verify":
            return supported(body, "Yoga lowered systolic blood pressure")
        if stage(body) == "doubts":
            return json.dumps({"doubts": []})
        if stage(body):
            return judged if judged and stage(body) == "reading" else json.dumps(read)
        if "Studies, each beginning" in said(body):
            return written(body)
        return "Yoga lowered it [1]." if "Synthesis:" in said(body) else "yoga"

    return reply


def asked(folder: Path, reply: Callable[[Json], Reply], ends: tuple[int, ...] = (0,)) -> str:
    (folder / "yoga.ris").write_text(YOGA)
    with ModelServer(reply) as server:
        return told_by(folder, "ask", QUESTION, "--source", "yoga.ris", "--no-strict", ends=ends,
                   env=with_model(server))  # fmt: skip


def test_a_reader_sees_the_answer_and_no_thought(place: Path, tmp_path: Path) -> None:
    every = rows(place / "model_replies.jsonl")
    assert len(every) >= 7
    for row in every:
        judged = row["message"] if "json" in row["id"] else ""

        def written(_: Json, row: Json = row, judged: Reply = judged) -> Reply:
            return ANSWER if judged else dict(row["message"])

        told = asked(tmp_path, literature(written, judged), ends=(0, 4))
        if row["right_text"] is None:
            assert "thought" in told or "reasoning" in told, told
        else:
            right = ANSWER.split(". ")[0]
            assert right in told.replace(" (!a)", ""), (row["id"], told)
            assert not re.search(r"Hm,|Okay, the user|<\||think>|【|\[Study|\(1\)", told), told
            assert "judged not relevant" not in told


def test_errors_of_a_provider_are_told_or_taken(place: Path, tmp_path: Path) -> None:
    for row in rows(place / "model_errors.jsonl"):
        stream = isinstance(row["body"], str)
        kind = "text/event-stream" if stream else "application/json"

        def fails(body: Json, row: Json = row, kind: str = kind) -> Reply:
            return Raw(row["body"], row["status"], kind)

        written = literature(fails if row["status"] == 200 else lambda _: ANSWER)

        def reply(body: Json, row: Json = row, written: Any = written) -> Reply:
            system = any(one["role"] == "system" for one in body["messages"])
            refuses = row["status"] == 400 and system
            return Raw(row["body"], 400, "application/json") if refuses else written(body)

        told = asked(tmp_path, reply, ends=(4,) if row["id"] == "stream-error" else (0,))
        if row["id"] == "stream-error":
            assert "Provider disconnected" in told
        else:
            assert "SYNTHESIS" in told, (row["id"], told)


def test_tools_take_what_a_form_left_empty(place: Path, tmp_path: Path) -> None:
    async def called() -> None:
        async with stdio(tmp_path) as client:
            plain = await call(client, "ask", question=QUESTION)
            for row in rows(place / "mcp_arguments.jsonl"):
                told = await call(client, row["tool"], **row["arguments"])
                if row["tool"] == "ask" and "rct" not in json.dumps(row["arguments"]):
                    assert told["synthesis"] == plain["synthesis"]
                assert told["sentences"]
            articles = [{"n": 2, "title": "It rose."}, {"n": 1, "title": "Yoga helps."}]
            told = await call(client, "verify", sentences='["Yoga helps [1]."]', articles=articles)
            assert told["sentences"][0]["verdict"] == "quoted"
            unknown = await refusal(client, "ask", question=QUESTION, colour="red")
            assert "no such argument; it takes question, from, to, limits" in unknown
            refused = await refusal(client, "verify", sentences={"a": 1}, articles=[])
            assert not re.search(r"tuple|dict|None|str\b|enum", refused), refused

    asyncio.run(called())


def test_every_kind_is_tried() -> None:
    text = Path(__file__).read_text("utf-8").partition("\nKINDS = ")[2]
    assert len(KINDS) == 21
    assert all(name in text or name.partition(".")[0] in text for name in KINDS)
    if FOLDER.is_dir():
        assert {one.name for one in FOLDER.iterdir()} - {"README.md"} == set(KINDS)
