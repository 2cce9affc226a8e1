"""One word changed in a copied sentence: none of these may be called supported."""

from __future__ import annotations

import pytest

from clinfo.claims.verify import check
from clinfo.records.articles import Article, Section, Study

EDITS: dict[str, tuple[tuple[str, str], ...]] = {
    "Drug A improved sleep in 120 of 240 adults (hazard ratio 0.72, 95% CI 0.60 to 0.86, P<0.05)": (
        ("improved", "impaired"),
        ("hazard ratio", "odds ratio"),
        ("hazard", "risk"),
        ("P<0.05", "P>0.05"),
        ("0.60 to 0.86", "0.86 to 0.60"),
        ("95%", "99%"),
        ("sleep", "appetite"),
        ("adults", "children"),
        ("improved", "did not improve"),
        ("improved", "never improved"),
        ("improved", "worsened"),
        ("0.72", "0.27"),
        ("120 of 240", "all 240"),
        ("in 120", "in only 120"),
        ("Drug A", "Drug B"),
        ("sleep", "sleep quality and mood"),
        ("in 120 of 240 adults", "in 240 of 120 adults"),
        ("P<0.05", "P=0.05"),
    ),
    "Headache was reduced after oral drug A 10 mg daily compared with placebo": (
        ("oral", "intravenous"),
        ("10 mg", "20 mg"),
        ("10 mg", "10 g"),
        ("daily", "weekly"),
        ("daily", "twice daily"),
        ("placebo", "usual care"),
        ("placebo", "no treatment"),
        ("after", "before"),
        ("reduced", "induced"),
        ("reduced", "not reduced"),
        ("reduced", "abolished"),
        ("Headache", "Backache"),
        ("compared with", "as much as with"),
        ("reduced", "only reduced"),
        ("oral", "topical"),
        ("was", "was greatly"),
    ),
    "Mortality was lower with drug A than with placebo at 12 weeks": (
        ("Mortality", "Morbidity"),
        ("lower", "higher"),
        ("lower", "no lower"),
        ("12 weeks", "12 months"),
        ("with drug A than with placebo", "with placebo than with drug A"),
        ("at 12", "before 12"),
        ("Mortality", "Maternal mortality"),
        ("at 12", "until 12"),
        ("Mortality", "All-cause mortality"),
        ("lower", "slower"),
    ),
    "The incidence of nausea was 12% in the intention-to-treat analysis": (
        ("incidence", "prevalence"),
        ("intention-to-treat", "per-protocol"),
        ("nausea", "vomiting"),
        ("12%", "at most 12%"),
        ("12%", "12 percentage points"),
        ("incidence", "severity"),
        ("12%", "1.2%"),
    ),
    "Pain on the left side fell by at least 20% in women with migraine": (
        ("left", "right"),
        ("at least", "at most"),
        ("women", "men"),
        ("fell", "rose"),
        ("by", "to"),
        ("with migraine", "without migraine"),
        ("at least ", "less than "),
        ("at least ", ""),
        ("in women", "in all women"),
        ("at least", "about"),
    ),
    "The median hospital stay was 5 days": (
        ("median", "mean"),
        ("hospital", "ICU"),
        ("days", "weeks"),
        ("5", "15"),
        ("median", "maximum"),
        ("median", "minimum"),
    ),
    "The primary outcome was the mean number of attacks": (
        ("primary", "secondary"),
        ("mean", "median"),
        ("attacks", "days with attacks"),
    ),
    "Relapse occurred in most patients before surgery": (
        ("most", "few"),
        ("most", "all"),
        ("before", "after"),
        ("most", "some"),
        ("Relapse", "Remission"),
        ("in most", "in no"),
        ("most", "half of the"),
        ("before", "during"),
    ),
    "Drug A was non-inferior to aspirin for pain relief in older adults": (
        ("non-inferior", "inferior"),
        ("non-inferior", "superior"),
        ("older", "younger"),
        ("aspirin", "ibuprofen"),
        ("Drug A was non-inferior to aspirin", "Aspirin was non-inferior to drug A"),
    ),
    "Blood pressure was associated with systolic load in the treated group": (
        ("systolic", "diastolic"),
        ("treated", "control"),
        ("treated", "untreated"),
        ("associated", "inversely associated"),
        ("associated with", "independent of"),
    ),
    "Screening had high sensitivity for acute stroke in men": (
        ("sensitivity", "specificity"),
        ("high", "low"),
        ("acute", "chronic"),
        ("men", "women"),
        ("high", "higher"),
        ("stroke", "stroke and death"),
    ),
}
TRIAL = Article("1", "Drug A in adults with migraine", sections=(Section(". ".join(EDITS) + "."),))


def verdict(text: str) -> str:
    return check(f"{text} [1].", "synthesis", (Study(1, TRIAL, None),)).sentences[-1].verdict


@pytest.mark.parametrize("sentence", EDITS)
def test_one_word_changed_is_never_supported(sentence: str) -> None:
    assert verdict(sentence) == "supported"
    vouched = [
        (old, new)
        for old, new in EDITS[sentence]
        if verdict(sentence.replace(old, new, 1)) == "supported"
    ]
    assert not vouched
