"""Definitions of PubMed's named filters, as far as they are published and can be applied to
records.

Definitions are queries in PubMed's language. Phrases are quoted, so that one which no record has is
not taken apart. Sources: PubMed User Guide, "Clinical study categories" (Haynes and others, as
revised in December 2011) and "Systematic reviews strategy" (NLM, 2019).
"""

from collections.abc import Mapping

from clinfo.text.languages import ENGLISH_NAMES
from clinfo.text.words import key

_SYSTEMATIC_TITLES = (
    '"systematic review"',
    '"systematic literature review"',
    '"systematic scoping review"',
    '"systematic narrative review"',
    '"systematic qualitative review"',
    '"systematic evidence review"',
    '"systematic quantitative review"',
    '"systematic meta-review"',
    '"systematic critical review"',
    '"systematic mixed studies review"',
    '"systematic mapping review"',
    '"systematic cochrane review"',
    '"systematic search and review"',
    '"systematic integrative review"',
)
_SYSTEMATIC = (
    f"((({' OR '.join(map('{}[ti]'.format, _SYSTEMATIC_TITLES))}) NOT comment[pt] NOT "
    "(protocol[ti] OR protocols[ti]))"
    ' NOT medline[sb]) OR ("cochrane database syst rev"[ta] AND review[pt]) OR "systematic '
    'review"[pt]'
)

_SIDEBAR = {
    "humans": "humans[mh]",
    "animals": '"animals"[mh:noexp]',
    "male": "male[mh]",
    "female": "female[mh]",
    "newborn": '"infant, newborn"[mh]',
    "infant": "infant[mh:noexp]",
    "allinfant": "infant[mh]",
    "preschoolchild": '"child, preschool"[mh]',
    "child": "child[mh:noexp]",
    "adolescent": "adolescent[mh]",
    "allchild": "infant[mh] OR child[mh] OR adolescent[mh]",
    "youngadult": '"young adult"[mh]',
    "adult": "adult[mh:noexp]",
    "alladult": "adult[mh]",
    "middleaged": '"middle aged"[mh]',
    "middleagedaged": '"middle aged"[mh] OR aged[mh]',
    "aged": "aged[mh]",
    "80andover": '"aged, 80 and over"[mh]',
    "clinicaltrial": '"clinical trial"[pt]',
    "randomizedcontrolledtrial": '"randomized controlled trial"[pt]',
    "meta-analysis": '"meta-analysis"[pt]',
    "review": "review[pt]",
    "casereports": '"case reports"[pt]',
    "observationalstudy": '"observational study"[pt]',
    "comparativestudy": '"comparative study"[pt]',
    "guideline": "guideline[pt]",
    "practiceguideline": '"practice guideline"[pt]',
    "editorial": "editorial[pt]",
    "letter": "letter[pt]",
    "booksdocs": '"pubmed books"[sb]',
    "excludepreprints": "all[sb] NOT preprint[pt]",
    "fha": "hasabstract",
    **{f"y_{years}": f'"last {years} years"[dp]' for years in (1, 5, 10)},
}
"""The filters of PubMed's side bar as it writes them into a query (humans[Filter]); ages as in the
User Guide's table of them.
"""
_LANGUAGES = {name: f'"{name}"[la]' for name in ENGLISH_NAMES.values()}

DEFINITIONS: Mapping[str, str] = {
    **{key(name): query for name, query in (*_LANGUAGES.items(), *_SIDEBAR.items())},
    "systematic": _SYSTEMATIC,
    "systematic review": _SYSTEMATIC,
    "systematicreview": _SYSTEMATIC,
    "therapy broad": (
        '(clinical[tiab] AND trial[tiab]) OR "clinical trials as topic"[mh] OR "clinical '
        'trial"[pt] OR random*[tiab]'
        ' OR "random allocation"[mh] OR "therapeutic use"[sh]'
    ),
    "therapy narrow": (
        '"randomized controlled trial"[pt] OR (randomized[tiab] AND controlled[tiab] AND '
        "trial[tiab])"
    ),
    "diagnosis broad": (
        'sensitiv*[tiab] OR "sensitivity and specificity"[mh] OR diagnose[tiab] OR diagnosed[tiab] '
        "OR diagnoses[tiab]"
        " OR diagnosing[tiab] OR diagnosis[tiab] OR diagnostic[tiab] OR diagnosis[mh:noexp] OR "
        "diagnostic*[mh:noexp]"
        ' OR "diagnosis, differential"[mh:noexp] OR diagnosis[sh:noexp]'
    ),
    "diagnosis narrow": "specificity[tiab]",
    "etiology broad": (
        'risk*[tiab] OR risk*[mh:noexp] OR "cohort studies"[mh] OR group[tw] OR groups[tw] OR '
        "grouped[tw]"
    ),
    "etiology narrow": (
        '(relative[tiab] AND risk*[tiab]) OR "relative risk"[tw] OR risks[tw] OR "cohort '
        'studies"[mh:noexp]'
        " OR (cohort[tiab] AND study[tiab]) OR (cohort[tiab] AND studies[tiab])"
    ),
    "prognosis broad": (
        'incidence[mh:noexp] OR mortality[mh] OR "follow-up studies"[mh:noexp] OR prognos*[tw] OR '
        "predict*[tw] OR course*[tw]"
    ),
    "prognosis narrow": "prognos*[tiab] OR (first[tiab] AND episode[tiab]) OR cohort[tiab]",
    "clinical prediction guides broad": (
        'predict*[tiab] OR "predictive value of tests"[mh] OR score[tiab] OR scores[tiab] OR '
        '"scoring system"[tiab]'
        ' OR "scoring systems"[tiab] OR observ*[tiab] OR "observer variation"[mh]'
    ),
    "clinical prediction guides narrow": "validation[tiab] OR validate[tiab]",
}
"""By name as a key (`clinfo.text.words.key`): the query that a filter is short for."""

SUBSETS: Mapping[str, str] = {
    "in process": "inprocess",
    "pubmed not medline": "pubmednotmedline",
    "pubmedpmc": "pubmed pmc",
    "pmc": "pubmed pmc",
    "pubmedbooks": "pubmed books",
}
"""By name as a key: the key in the store ``sb`` of a subset that goes by several names."""

ALL = frozenset(("all", "pubmed"))
"""Names of the subset that is everything."""
UNKNOWABLE = frozenset(
    (
        "fft",
        "ffrft",
        "free full text",
        "freefulltext",
        "full text",
        "fulltext",
        "loattrfree full text",
        "loattrfull text",
    )
)
"""Filters that only PubMed can apply, because records do not say where a full text is to be had."""

_FLAGS = """
    hasabstract hasstructuredabstract haskeyword hascois hasnonenglishabstract hasplainlanguagesummary
    hasretractionin hasretractionof haserratumin haserratumfor hasexpressionofconcernin hasexpressionofconcernfor
    hascommentin hascommenton hasupdatein hasupdateof hascorrectedandrepublishedin hascorrectedandrepublishedfrom
    hasretractedandrepublishedin hasretractedandrepublishedfrom pubstatusaheadofprint pubstatusepublish pubstatusppublish
    pmcbook indexingmethod_automated indexingmethod_curated
"""  # noqa: E501
FLAGS = frozenset(_FLAGS.split())
"""Filters that are typed without a tag (keys of the store ``flag``)."""
