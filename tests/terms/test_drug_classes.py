"""The lexicon of classes of drugs: how names are compared, and that its lines are sound."""

import pytest

from clinfo.terms.asked_names import Asked, asked
from clinfo.terms.drug_classes import FILE, classes, drug_class


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("beta blockers", "atenolol"),
        ("β-blockers", "propranolol"),
        ("Beta-adrenergic blocker", "metoprolol"),
        ("statin therapy", "simvastatin"),
        ("nonsteroidal antiinflammatory drugs", "naproxen"),
        ("non-steroidal anti-inflammatory agents", "celecoxib"),
        ("SGLT-2 inhibitor", "empagliflozin"),
        ("β2-agonists", "salbutamol"),
        ("antihypertensive drugs", "losartan"),
        ("sleeping pills", "zolpidem"),
    ],
)
def test_a_class_is_found_however_it_is_written(name, member):
    assert member in drug_class(name).members


def test_what_is_no_class():
    for name in ("asthma", "metoprolol", "", "blockers", "beta", "therapy"):
        assert drug_class(name) is None


def test_the_file_is_sound():
    named: dict[str, str] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            names = [name.strip() for name in line.partition(":")[0].split(";")]
            for name in names:
                assert drug_class(name).names[0] == names[0], f"{name} names two classes"
                assert named.setdefault(name, line) == line
    assert len({one.names for one in classes().values()}) >= 100
    assert all(
        one.members and not any(member.startswith(">") for member in one.members)
        for one in classes().values()
    )


@pytest.mark.parametrize(
    ("name", "members", "others"),
    [
        ("benzodiazepines", "diazepam, clonazepam", "olanzapine, zopiclone"),
        ("macrolides", "azithromycin", "tacrolimus"),
        ("triptans", "frovatriptan, sumatriptan", "melatonin"),
        ("basal insulin", "insulin glargine, insulin degludec", "insulin lispro"),
        ("bolus insulin", "insulin aspart", "insulin glargine"),
        ("weak opioids", "codeine, tramadol", "morphine"),
        ("SAMA", "ipratropium", "tiotropium"),
        ("LAMA", "tiotropium", "ipratropium"),
        ("PD-L1 inhibitors", "atezolizumab", "pembrolizumab"),
        ("EGFR TKIs", "osimertinib", "cetuximab"),
        ("csDMARDs", "methotrexate", "adalimumab"),
        ("blood thinners", "warfarin, clopidogrel, apixaban", "alteplase"),
        ("mini pill", "desogestrel", "ethinyl estradiol levonorgestrel"),
    ],
)
def test_a_class_has_its_members_and_no_others(name: str, members: str, others: str) -> None:
    found = asked(name) or drug_class(name)
    assert found is not None
    taken = set(found.takes if isinstance(found, Asked) else found.members)
    assert taken >= set(members.split(", "))
    assert taken.isdisjoint(others.split(", "))
