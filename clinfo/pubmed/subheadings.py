"""MeSH qualifiers, which PubMed calls subheadings: names, two-letter codes and NLM's tree of them.

The 76 qualifiers of MeSH 2020, and eight given up before it that older records still carry. In the
tree a place counts, not a name, as with headings: "adverse effects" has "poisoning" and "toxicity"
below it under "pharmacology", but only "poisoning" under "therapeutic use", so "therapeutic use"
does not reach "toxicity".
"""

from dataclasses import dataclass

from clinfo.text.words import key

_CODES = """
AA analogs & derivatives; AB abnormalities; AD administration & dosage; AE adverse effects; AG agonists;
AH anatomy & histology; AI antagonists & inhibitors; AN analysis; BI biosynthesis; BL blood; BS blood supply;
CF cerebrospinal fluid; CH chemistry; CI chemically induced; CL classification; CN congenital; CO complications;
CS chemical synthesis; CY cytology; DE drug effects; DF deficiency; DG diagnostic imaging; DH diet therapy; DI diagnosis;
DT drug therapy; EC economics; ED education; EH ethnology; EM embryology; EN enzymology; EP epidemiology; ES ethics;
ET etiology; GD growth & development; GE genetics; HI history; IM immunology; IN injuries; IP isolation & purification;
IR innervation; IS instrumentation; LJ legislation & jurisprudence; ME metabolism; MI microbiology; MO mortality; MT methods;
NU nursing; OG organization & administration; PA pathology; PC prevention & control; PD pharmacology; PH physiology;
PK pharmacokinetics; PO poisoning; PP physiopathology; PS parasitology; PX psychology; PY pathogenicity;
RE radiation effects; RH rehabilitation; RT radiotherapy; SC secondary; SD supply & distribution;
SN statistics & numerical data; ST standards; SU surgery; TD trends; TH therapy; TM transmission; TO toxicity;
TR transplantation; TU therapeutic use; UL ultrastructure; UR urine; VE veterinary; VI virology
"""  # noqa: E501
_RETIRED_CODES = """
CT contraindications; DU diagnostic use; MA manpower; RA radiography; RI radionuclide imaging; SE secretion;
US ultrasonography; UT utilization
"""  # noqa: E501
"""Copies of records from before NLM gave these up, and replaced them in its own, still have
them.
"""

_TREE = """
analysis
    blood
    cerebrospinal fluid
    isolation & purification
    urine
anatomy & histology
    blood supply
    cytology
        pathology
        ultrastructure
    embryology
        abnormalities
    innervation
chemistry
    agonists
    analogs & derivatives
    antagonists & inhibitors
    chemical synthesis
diagnosis
    diagnostic imaging
        radiography
        radionuclide imaging
        ultrasonography
    pathology
etiology
    chemically induced
    complications
        secondary
    congenital
    embryology
    genetics
    immunology
    microbiology
        virology
    parasitology
    transmission
organization & administration
    economics
    legislation & jurisprudence
    manpower
    standards
    supply & distribution
    trends
    utilization
pharmacology
    administration & dosage
    adverse effects
        poisoning
        toxicity
    agonists
    antagonists & inhibitors
    contraindications
    diagnostic use
    pharmacokinetics
physiology
    genetics
    growth & development
    immunology
    metabolism
        biosynthesis
        blood
        cerebrospinal fluid
        deficiency
        enzymology
        pharmacokinetics
        urine
    physiopathology
    secretion
statistics & numerical data
    epidemiology
        ethnology
        mortality
    supply & distribution
    utilization
therapeutic use
    administration & dosage
    adverse effects
        poisoning
    contraindications
therapy
    diet therapy
    drug therapy
    nursing
    prevention & control
    radiotherapy
    rehabilitation
    surgery
        transplantation
"""
"""NLM's hierarchies of qualifiers (tree Y); those that are not in it have nothing above or below
them.
"""


@dataclass(frozen=True)
class Qualifier:
    """A subheading; ``code`` is two capital letters. A retired one is no longer given to new
    records.
    """

    name: str
    code: str
    retired: bool = False


def qualifier_of(text: str) -> Qualifier | None:
    """The qualifier with this name or two-letter code, in any case; "and" may stand for "&".

    Codes of retired ones do not count: they stand for other things by now (CT, US).
    """
    compared = key(text)
    return _BY_NAME.get(compared) or _BY_CODE.get(compared)


def explode_qualifier(name: str) -> frozenset[str]:
    """The qualifier of ``name`` (or code) and all below it, as keys (`clinfo.text.words.key`);
    empty if there is none.
    """
    qualifier = qualifier_of(name)
    return frozenset(map(key, _BELOW[qualifier.name])) if qualifier is not None else frozenset()


def _read(codes: str, retired: bool) -> list[Qualifier]:
    pairs = (entry.split(maxsplit=1) for entry in " ".join(codes.split()).split("; "))
    return [Qualifier(name, code, retired) for code, name in pairs]


def _families() -> dict[str, set[str]]:
    """For every qualifier its own name and those below it at any of its places."""
    below = {qualifier.name: {qualifier.name} for qualifier in QUALIFIERS}
    above: list[str] = []
    for line in _TREE.strip().splitlines():
        name = line.strip()
        del above[(len(line) - len(name)) // 4 :]
        for family in above:
            below[family].add(name)
        above.append(name)
    return below


QUALIFIERS: tuple[Qualifier, ...] = (*_read(_CODES, False), *_read(_RETIRED_CODES, True))
_BY_NAME = {
    key(name): qualifier
    for qualifier in QUALIFIERS
    for name in (qualifier.name, qualifier.name.replace("&", "and"))
}
_BY_CODE = {qualifier.code.lower(): qualifier for qualifier in QUALIFIERS if not qualifier.retired}
_BELOW = _families()
