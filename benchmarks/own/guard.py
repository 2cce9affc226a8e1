"""Recall of the guard on identifiers of invented patients, and its false alarms.

    python -m benchmarks guard [--data FOLDER] [--file FILE] [--json]

The figures are those of ``--file`` (guard_questions.jsonl): questions written by somebody who knew
nothing of the rules, with and without a person in them; it is never tuned on. guard_tuning.jsonl
was, in part; with it go 200 questions, those of identified_questions.jsonl, written by hand before
the rules, and the rest made here from sentences, invented persons and numbers.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import flags
from benchmarks.own.scores import DATA
from benchmarks.pubmedrs200.scoring.statistics import wilson
from clinfo.privacy.phi_guard import identifiers, without
from clinfo.records.articles import Identifier

BY_HAND = Path(__file__).with_name("identified_questions.jsonl")
FRESH = Path(__file__).with_name("guard_questions.jsonl")
TUNING = Path(__file__).with_name("guard_tuning.jsonl")
_COLUMNS = ("questions", "HumanQuestions")
QUESTIONS = 200
SEED = 20_260

# Numbers drawn at random that python-stdnum 2.2 calls valid; none was looked up, none is known to
# be anybody's.
NUMBERS = {
    "NHS number {}": ("3832364056", "406 135 8952", "275 217 4888"),
    "SSN {}": ("595-32-4094", "204-15-0439", "033-58-6072"),
    "personnummer {}": ("970118-6026", "780627-3459", "19800204-0023"),
    "CPR-nummer {}": ("050442-2156", "180390-4142", "081166-0705"),
    "fødselsnummer {}": ("11058937020", "230368 10270", "06128850463"),
    "henkilötunnus {}": ("130332-396U", "261149-722K", "250159-472C"),
    "BSN {}": ("404379928", "029385726", "320880023"),
    "numéro de sécurité sociale {}": (
        "143011872498285",
        "2 80 03 78 870 034 89",
        "295069497566539",
    ),
    "DNI {}": ("40406759Z", "20883635-A", "17248967W"),
    "NIE {}": ("X0438227P", "X3558811K", "X-2312631-G"),
    "CPF {}": ("736.380.512-18", "526.294.550-33", "789.943.940-01"),
    "Aadhaar number {}": ("3883 3904 6244", "2893-6005-3780", "374398482197"),
    "SIN {}": ("406 685 701", "469-133-243", "275432987"),
    "PESEL {}": ("96052407629", "86032003954", "37070663884"),
    "national register number {}": ("72.01.12-226.60", "74.01.24-591.56", "68.07.11-779.77"),
    "AHV-Nr. {}": ("756.5516.4577.22", "7564443414006", "756.2245.7538.28"),
    "codice fiscale {}": ("BNCGLI62M55F205I", "FRRLCU81T03L219X"),
    "RRN {}": ("350714-2334664", "590928-1059183", "581122-2238954"),
    "ID card {}": ("110105196910189931", "110105197504034568", "110105195903075464"),
    "CNP {}": ("2340520351795", "1690117836951", "2820127037974"),
    "South African ID number {}": ("3702113449084", "6212156504081", "6305223479087"),
    "PPS number {}": ("5485574F", "6968013L", "4951327A"),
}
PERSONS = (
    ("Mr", "Kofi", "Mensah"),
    ("Mrs", "Yuko", "Tanaka"),
    ("Ms", "Siobhan", "Gallagher"),
    ("Mr", "Dragan", "Petrović"),
    ("Mrs", "Ngoc", "Tran"),
    ("Mr", "Ewan", "MacLeod"),
    ("Ms", "Leticia", "Barbosa"),
    ("Mr", "Bjarne", "Halvorsen"),
    ("Mrs", "Rukhsana", "Begum"),
    ("Mr", "Tadeusz", "Wójcik"),
    ("Miss", "Amara", "Eze"),
    ("Mr", "Giorgos", "Papadakis"),
    ("Mrs", "Hedwig", "Schäfer"),
    ("Mr", "Desmond", "Whitaker"),
    ("Ms", "Soledad", "Quintana"),
    ("Mr", "Anil", "Deshpande"),
    ("Mrs", "Maureen", "O'Donnell"),
    ("Mr", "Thibault", "Moreau"),
    ("Ms", "Ayelet", "Ben-David"),
    ("Mr", "Sipho", "Dlamini"),
)
WITH_PERSON = (
    "Should [{title} {last}] have a carotid endarterectomy or a stent?",
    "Is there any benefit of pregabalin for [{title} {first} {last}] with sciatica?",
    (
        "My patient [{first} {last}] has a second flare of ulcerative colitis: is vedolizumab "
        "better than adalimumab?"
    ),
    "[{title}. {last}] is on dialysis. Does apixaban reduce stroke without more bleeding?",
    "Patient name: [{first} {last}]. Do inhaled steroids raise the risk of pneumonia in COPD?",
    (
        "What does the literature say about tamoxifen versus letrozole for [{first} {last}], 57 "
        "years old?"
    ),
    (
        "Our patient, [{title} {initial}. {last}], wants to try St John's wort for mild "
        "depression. Does it work?"
    ),
    "Pt [{first} {last}] with Graves' disease is pregnant; propylthiouracil or methimazole?",
)
WITH_NUMBER = (
    "{cue}: is prone positioning useful in awake patients with COVID-19?",
    "Does early mobilisation help after stroke? ({cue})",
    "64-year-old man, {cue}, with Barrett's oesophagus: ablation or surveillance?",
)
WITH_OTHER = (
    ("date of birth", "F, [DOB {date}], migraine with aura: is the combined pill safe?"),
    (
        "date of birth",
        "Does this boy, [born {date}], need growth hormone with Prader-Willi syndrome?",
    ),
    ("record number", "[MRN {number}] - does tight glucose control lower mortality in sepsis?"),
    ("record number", "Hospital no. [{number}]: which statin has the fewest muscle symptoms?"),
    (
        "record number",
        "Chart number [{number}], recurrent C. difficile: fidaxomicin or vancomycin?",
    ),
    ("telephone", "Is gabapentin effective for hot flushes? Phone the patient on [{phone}]."),
    ("telephone", "tel. [{phone}] - are probiotics worthwhile during antibiotics?"),
    ("e-mail", "Reply to [{mail}]: does zinc shorten the common cold?"),
    ("address", "Man living at [{street}], asthma: do HEPA filters reduce exacerbations?"),
    ("address", "Home address: [{street}]. Does vitamin C prevent gout?"),
)
DATES = (
    "3 February 1951",
    "17/08/2016",
    "1988-11-23",
    "09.04.1967",
    "June 30, 1944",
    "22-Oct-2012",
)
RECORDS = ("5530218", "H-882013", "2019/04417", "K0099213", "77-31-540")
PHONES = (
    "+46 70 123 45 67",
    "(617) 555-0143",
    "0161 496 0712",
    "06 12 34 56 78",
    "+91 98765 43210",
    "303.555.0119",
)
MAILS = ("yuko.t@example.com", "k_mensah77@post.example.net", "familie-schaefer@example.de")
STREETS = (
    "27 Orchard Road",
    "8 St Mary's Avenue, Leeds LS1 4AP",
    "4402 Maple Boulevard, Austin, TX 78701",
    "Kirchgasse 9, 8001 Zürich",
    "112 Nelson Mandela Street, Durban",
)


@dataclass(frozen=True)
class Marked:
    """A question and what in it identifies somebody."""

    question: str
    marked: tuple[Identifier, ...]


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser("python -m benchmarks guard", description=__doc__)
    flags.add(
        parser,
        {
            "--data": {"type": Path, "default": DATA, "help": "folder of shared real data"},
            "--file": {"type": Path, "default": FRESH, "help": "questions nobody tuned on"},
            "--json": {"action": "store_true", "help": "the figures of the file, as JSON"},
        },
    )
    options = parser.parse_args(arguments)
    found = rates(questions_of(options.file))
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for what, figures in found.items():
        print(
            "{:<14} {:>4} of {:<4} {:7.1%} (95 % Wilson interval {:.1%} to {:.1%})".format(
                what, *figures.values()
            )
        )
    if options.data.is_dir():
        texts = harmless(options.data)
        alarms = sum(bool(identifiers(text)) for text in texts)
        print(f"false alarms on {len(texts):,} questions of data sets: {alarms}")


def rates(rows: Sequence[Marked]) -> dict[str, dict[str, float]]:
    """Of questions that identify somebody, how many are caught, and of the others, how many raise a
    false alarm; with intervals.

    "pointed at" counts those caught at the very words that identify; "clean" the rewordings in
    which nothing more is found.
    """
    named, plain = [row for row in rows if row.marked], [row for row in rows if not row.marked]
    found = [identifiers(row.question) for row in named]
    clean = [
        identifiers(without(row.question, got)) == () for row, got in zip(named, found, strict=True)
    ]
    counts = {
        "caught": (sum(map(bool, found)), len(named)),
        "pointed at": (
            sum(
                any(_overlaps(one, got) for one in row.marked)
                for row, got in zip(named, found, strict=True)
            ),
            len(named),
        ),
        "clean": (sum(clean), len(named)),
        "false alarms": (sum(bool(identifiers(row.question)) for row in plain), len(plain)),
    }
    return {
        what: {"count": count, "of": of, "share": count / max(of, 1)}
        | dict(zip(("low", "high"), wilson(count / of if of else 0.0, max(of, 1)), strict=True))
        for what, (count, of) in counts.items()
    }


def by_hand() -> list[Marked]:
    """The questions of the file beside this module."""
    rows = map(json.loads, BY_HAND.read_text(encoding="utf-8").splitlines())
    return [
        Marked(row["question"], tuple(Identifier(**one) for one in row["identifiers"]))
        for row in rows
    ]


def questions_of(file: Path) -> list[Marked]:
    """The rows {"question", "identifies", "spans"} of a file; a span is [start, end], {"start",
    "end"} or the words themselves.

    A row that identifies somebody has a mark at least: its whole question, where no span is given.
    Other kinds than a name are told by their signs.
    """
    found = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.strip():
            continue
        row = json.loads(line)
        question, spans = (
            row["question"],
            row.get("spans") or ([[0, len(row["question"])]] if row["identifies"] else []),
        )
        found.append(
            Marked(
                question, tuple(_span(question, one) for one in spans) if row["identifies"] else ()
            )
        )
    return found


def _span(question: str, span: object) -> Identifier:
    if isinstance(span, dict):
        if "start" not in span:
            return _span(question, span.get("text", ""))
        start, end = span["start"], span["end"]
    elif isinstance(span, str):
        start = max(0, question.find(span))
        end = start + len(span)
    else:
        assert isinstance(span, list)
        start, end = span[:2]
    return Identifier(
        start,
        end,
        "other" if any(sign.isdigit() or sign == "@" for sign in question[start:end]) else "name",
    )


def by_script() -> list[Marked]:
    """As many questions as the file lacks to `QUESTIONS`, the same each time."""
    draw = random.Random(SEED)
    every: list[Marked] = []
    for cue, numbers in NUMBERS.items():
        for number in numbers:
            sentence = draw.choice(WITH_NUMBER).replace("{cue}", cue.replace("{}", f"[{number}]"))
            every.append(_marked(sentence, "national id"))
    for place, (title, first, last) in enumerate(PERSONS):
        for step in range(2):
            sentence = WITH_PERSON[(2 * place + step + place // 4) % len(WITH_PERSON)]
            every.append(
                _marked(
                    sentence.format(title=title, first=first, last=last, initial=first[0]), "name"
                )
            )
    for kind, sentence in WITH_OTHER * 3:
        values = {
            "date": DATES,
            "number": RECORDS,
            "phone": PHONES,
            "mail": MAILS,
            "street": STREETS,
        }
        every.append(
            _marked(
                sentence.format(**{name: draw.choice(several) for name, several in values.items()}),
                kind,
            )
        )
    draw.shuffle(every)
    return every[: QUESTIONS - len(by_hand())]


def _marked(sentence: str, kind: str) -> Marked:
    before, _, rest = sentence.partition("[")
    inside, _, after = rest.partition("]")
    return Marked(
        before + inside + after, (Identifier(len(before), len(before) + len(inside), kind),)
    )


def _overlaps(one: Identifier, found: Sequence[Identifier]) -> bool:
    return any(other.start < one.end and one.start < other.end for other in found)


def harmless(data: Path) -> list[str]:
    """The questions of data sets, in which no patient is named."""
    with (data / "pubmedrs200" / "PubMedRS-200.csv").open(newline="", encoding="utf-8") as stream:
        rows = [row[name] for row in csv.DictReader(stream) for name in _COLUMNS]
    with gzip.open(data / "pubmedqa" / "ori_pqal.first700.json.gz", "rt") as packed:
        return rows + [row["QUESTION"] for row in json.load(packed).values()]
