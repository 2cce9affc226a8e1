"""The table of medicines: names that mean the same, near misses that do not, and sound lines."""

import pytest

from clinfo.terms.closure import closure
from clinfo.terms.medicines import (
    FILE,
    asked_for,
    heading_of,
    implied,
    in_item,
    in_text,
    medicine,
    medicines,
)
from clinfo.terms.naming import descriptor_of, known, parts
from clinfo.text.words import key


@pytest.mark.parametrize(
    "names",
    [
        "alendronic acid, Fosamax, alendronate sodium, Alendronate",
        "alteplase, recombinant tPA, rt-PA, Activase, Actilyse",
        "methotrexate, MTX, Metoject",
        "GTN, glyceryl trinitrate, nitroglycerin, NTG",
        "paracetamol, acetaminophen, APAP, Tylenol, Panadol",
        "furosemide, frusemide, Lasix",
        "salbutamol, albuterol, Ventolin, "
        "nda020503 200 actuat albuterol 0.09 mg/actuat metered dose inhaler",
        "metformin, 24 hr metformin hydrochloride 500 mg extended release oral tablet",
        "adrenaline, EpiPen, 0.3 ml epinephrine 1 mg/ml auto-injector",
        "penicillin V, phenoxymethylpenicillin, penicillin v potassium 250 mg oral tablet",
        "co-amoxiclav, Augmentin, amoxicillin/clavulanate, "
        "amoxicillin 250 mg / clavulanate 125 mg oral tablet",
        "Percocet, oxycodone/acetaminophen, "
        "acetaminophen 325 mg / oxycodone hydrochloride 10 mg oral tablet [percocet]",
        "Norco, Vicodin, acetaminophen 325 mg / hydrocodone bitartrate 7.5 mg oral tablet",
        "Sinemet, co-careldopa, carbidopa levodopa",
        "Seretide, Advair, salmeterol/fluticasone",
        "co-trimoxazole, Bactrim, TMP-SMX",
        "Biktarvy, bictegravir emtricitabine tenofovir alafenamide",
        "adalimumab, Humira, Amgevita, Hyrimoz",
        "insulin glargine, Lantus, Toujeo, Semglee",
        "flu jab, influenza vaccine, Fluzone",
    ],
)
def test_names_of_one_medicine(names: str) -> None:
    first, *others = names.split(", ")
    assert asked_for(first) is not None
    assert {asked_for(name) for name in others} == {asked_for(first)}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("hydroxyzine", "hydralazine"),
        ("prednisone", "prednisolone"),
        ("methylprednisolone", "prednisolone"),
        ("esomeprazole", "omeprazole"),
        ("escitalopram", "citalopram"),
        ("levocetirizine", "cetirizine"),
        ("cetirizine", "hydroxyzine"),
        ("azithromycin", "erythromycin"),
        ("oxycodone", "codeine"),
        ("enoxaparin", "heparin"),
        ("ticarcillin", "amoxicillin"),
        ("Vytorin", "lovastatin"),
        ("clonidine", "clonazepam"),
        ("Lantus", "Humalog"),
        ("insulin aspart", "insulin glargine"),
        ("NPH insulin", "regular insulin"),
        ("Losec", "Lasix"),
        ("Celebrex", "Celexa"),
        ("Zyprexa", "Zyrtec"),
        ("vincristine", "vinblastine"),
        ("cisplatin", "carboplatin"),
        ("trastuzumab", "trastuzumab emtansine"),
        ("tenofovir alafenamide", "tenofovir disoproxil"),
        ("azathioprine", "azacitidine"),
    ],
)
def test_near_misses_are_other_medicines(one: str, other: str) -> None:
    mesh = known()
    names = {key(each): "" for each in (one, other)}
    names |= {name: found.ui for name in names if (found := descriptor_of(name)) is not None}
    above: dict[str, set[str]] = {name: set() for name in names}
    for row in closure(names, mesh):
        above[row.name].add(row.above)
    for each, its in ((one, other), (other, one)):
        asked = asked_for(its)
        assert asked is not None
        heading = heading_of(asked, mesh)
        assert f"name:{key(its)}" not in above[key(each)]
        assert heading is None or f"mesh:{heading.ui}" not in above[key(each)]


@pytest.mark.parametrize(
    ("written", "parts"),
    [
        ("Augmentin", ("amoxicillin", "clavulanic acid")),
        ("percocet", ("oxycodone", "paracetamol")),
        ("Symbicort", ("budesonide", "formoterol")),
        ("Lantus", ("insulin",)),
        ("Atripla", ("efavirenz", "emtricitabine", "tenofovir disoproxil", "tenofovir")),
        ("clavulanate 125 mg", ("co-amoxiclav", "amoxicillin")),
        ("td adult preservative free", ("tetanus vaccine", "diphtheria vaccine")),
    ],
)
def test_who_takes_the_whole_takes_its_parts(written: str, parts: tuple[str, ...]) -> None:
    held = {part.names[0] for one in in_item(written) for part in implied(one)}
    assert held >= set(parts)


def test_an_index_has_a_medicine_under_all_names_and_parts() -> None:
    mesh = known()
    rows = {row.above for row in closure({"eliquis": "", "percocet": ""}, mesh)}
    assert {"name:apixaban", "name:oxycodone", "name:paracetamol", "name:acetaminophen"} <= rows
    assert {f"mesh:{found.ui}" for name in ("oxycodone", "acetaminophen")
            if (found := descriptor_of(name)) is not None} <= rows  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["warfarin toxicity", "heparin induced thrombocytopenia", "allergy to penicillin G",
     "insulin resistance", "tablet", "24 hr", ""],
)  # fmt: skip
def test_what_names_more_than_medicines_is_no_item(text: str) -> None:
    assert in_item(text) == ()
    assert asked_for(text) is None


@pytest.mark.parametrize(
    "phrase", ["inhaled budesonide", "topical steroids", "influenza", "covid-19", "MMR"]
)
def test_what_says_more_or_else_is_not_asked_for(phrase: str) -> None:
    assert asked_for(phrase) is None


def test_a_brand_that_is_a_word_or_a_name_counts_in_lists_only() -> None:
    for name in ("Camila", "My Way", "Yasmin", "Heather", "Foster"):
        assert medicine(name) is not None
        assert in_text(name) is None
        assert not any(part.is_class or part.places for part in parts(name))
    assert in_text("Eliquis") is medicine("apixaban")


def test_the_file_is_sound() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    own = [line.partition(" = ")[0].split("; ") for line in rows]
    named = [key(name) for names in own for name in names]
    assert sorted({name for name in named if named.count(name) > 1}) == []
    assert all(line == line.strip() and "  " not in line and ";;" not in line for line in rows)
    assert all(names[0][0] not in "~*" for names in own)
    first = {names[0] for names in own}
    named_parts = {part.lstrip("*") for line in rows if " = " in line
                   for part in line.partition(" = ")[2].split(" + ")}  # fmt: skip
    assert named_parts <= first
    assert len(medicines()) == len(rows) > 1_500
