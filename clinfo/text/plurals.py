"""Other forms of a word: singular and plural, possessive, British and American spelling, by rule.

PubMed looks such forms up in a table of its own, which is not published. A rule may make a form
that no record has; that costs a lookup and finds nothing.
"""

import re
from functools import lru_cache

_PAIRS = """
    child/children man/men woman/women foot/feet tooth/teeth mouse/mice criterion/criteria phenomenon/phenomena
    bacterium/bacteria ovum/ova medium/media diverticulum/diverticula serum/sera fungus/fungi stimulus/stimuli
    nucleus/nuclei thrombus/thrombi embolus/emboli bronchus/bronchi calculus/calculi bacillus/bacilli vertebra/vertebrae
    bursa/bursae appendix/appendices index/indices matrix/matrices cortex/cortices life/lives knife/knives leaf/leaves
    half/halves calf/calves
"""  # noqa: E501
_IRREGULAR = dict(pair.split("/") for pair in _PAIRS.split())
_SINGULAR = {plural: singular for singular, plural in _IRREGULAR.items()}
_SHORTEST = 3
"""Letters of the shortest word that is given a plural."""
_SHORTEST_PLURAL = 4
_SHORTEST_ICS = 9
"""Letters from which on a word on -ics is taken for a plural (antibiotics) and not for a field of
study (physics).
"""
_NO_PLURAL = re.compile(r"(?:ss|us|is|ous|ics|ed|ly|ing|ive|ible|able|ful)$")
"""Endings of words that are no singular: adjectives, verbs and adverbs, and some that end on s
already.
"""

_SPELLINGS = tuple(
    (re.compile(pattern), spelling)
    for pattern, spelling in (
        (r"^haem", "hem"),
        (r"^hem(?=at|og|ol|op|or|ost|od|ang|in|e$)", "haem"),
        (r"(?<=[a-z]{2})aem(?=i(?:a|as|c|cs)$)", "em"),
        (r"(?<=isch|glyc|leuk|cyth|coag)em(?=i(?:a|as|c|cs)$)", "aem"),
        (
            (
                r"^(an|ur|.*(?:ter|tic|rex|sep|dip|pid|sid|rol|vol|pox|bil|cid|tox|tri|kal|cal|nat|"
                r"hat|ket))em(?=ias?$)"
            ),
            r"\1aem",
        ),
        (r"^anaem", "anem"),
        (r"^anem(?=i)", "anaem"),
        (r"^uraem", "urem"),
        (r"^anaesth", "anesth"),
        (r"^anesth", "anaesth"),
        (r"paed(?=iat|ic)", "ped"),
        (r"^ped(?=iat)|(?<=ortho)ped(?=ic)", "paed"),
        (r"^gynaec", "gynec"),
        (r"^gynec", "gynaec"),
        (r"^caes(?=ar)", "ces"),
        (r"^ces(?=arean)", "caes"),
        (r"^faec", "fec"),
        (r"^fec(?=al$|es$)", "faec"),
        (r"oed(?=ema)", "ed"),
        (r"^ed(?=ema)|(?<=lymph)ed(?=ema)|(?<=angio)ed(?=ema)|(?<=myx)ed(?=ema)", "oed"),
        (r"^oes(?=oph|tr)", "es"),
        (r"^es(?=oph|trog|trad|trus)", "oes"),
        (r"^foet", "fet"),
        (r"^fet(?=us|al)", "foet"),
        (r"rrhoe(?=a)", "rrhe"),
        (r"rrhe(?=a)", "rrhoe"),
        (r"(behavi|^tum|^col|^lab|^fav|^hon|^vap|^od)our", r"\1or"),
        (r"(behavi|^tum|^col|^fav|^vap)or|(^lab|^od)or(?!a|if|o)", r"\1\2our"),
        (r"(^cent|^lit|^fib)re(?=s?$)", r"\1er"),
        (r"(^cent|^lit|^fib)er(?=s?$)", r"\1re"),
        (r"(?<=al)ys(?=(?:e|ed|ing)$)", "yz"),
        (r"(?<=al)yz(?=(?:e|ed|ing)$)", "ys"),
        (r"(?<=[a-z]{3}[dlmnrt])is(?=(?:e|es|ed|er|ers|ing|ation|ations)$)", "iz"),
        (r"(?<=[a-z]{3}[dlmnrt])iz(?=(?:e|es|ed|er|ers|ing|ation|ations)$)", "is"),
        (r"^sulph", "sulf"),
        (r"^sulf", "sulph"),
        (r"^programme(?=s?$)", "program"),
        (r"^program(?=s?$)", "programme"),
        (r"(?<=counse)ll(?=ing|or|ed)", "l"),
        (r"(?<=counse)l(?=ing|or|ed)", "ll"),
        (r"^ageing$", "aging"),
        (r"^aging$", "ageing"),
        (r"^aluminium$", "aluminum"),
        (r"^aluminum$", "aluminium"),
    )
)
"""British to American and back: what to replace, and by what. A word is changed by the first that
fits.
"""
_NOT_IZE = re.compile(
    r"^(?:aris|surpris|enterpris|compris|promis|compromis|premis|expertis|treatis|merchandis|"
    r"paradis|demis|practis|excis|incis"
    r"|exercis|advertis|chemis|denis)"
)


@lru_cache(maxsize=50_000)
def variants(word: str) -> tuple[str, ...]:
    """``word`` (folded, one word) and its other forms, the word first; a possessive is two words
    ("asthma s").
    """
    if not word.isalpha() or len(word) < _SHORTEST:
        return (word,)
    number = [word, *_other_number(word)]
    spelt = [other for form in number for other in spellings(form)]
    plural = word.endswith("s") or word in _SINGULAR
    possessive = [] if plural or _NO_PLURAL.search(word) else [f"{word} s"]
    return tuple(dict.fromkeys([*number, *spelt, *possessive]))


def spellings(word: str) -> list[str]:
    """The American spelling of a British word and the other way round; empty where they are the
    same.
    """
    if _NOT_IZE.match(word):
        return []
    for pattern, spelling in _SPELLINGS:
        changed = pattern.sub(spelling, word, count=1)
        if changed != word:
            return [changed]
    return []


def _other_number(word: str) -> list[str]:
    if word in _IRREGULAR:
        return [_IRREGULAR[word]]
    if word in _SINGULAR:
        return [_SINGULAR[word]]
    singular = _singular(word)
    return [singular] if singular else _plural(word)


def _singular(word: str) -> str | None:
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return None
    if word.endswith("ics") and len(word) < _SHORTEST_ICS:
        return None
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else None
    if (
        word.endswith(("oses", "yses", "ases", "eses"))
        and len(word) > 6
        and not word.endswith(("eases", "purposes", "ypases"))
    ):
        return f"{word[:-2]}is"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes", "uses")):
        return word[:-2]
    return word[:-1]


def _plural(word: str) -> list[str]:
    if word.endswith("sis"):
        return [f"{word[:-2]}es"]
    if word.endswith("us") and len(word) > 4:
        return [f"{word}es"]
    if _NO_PLURAL.search(word):
        return [f"{word}es"] if word.endswith("ss") else []
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return [f"{word}es"]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [f"{word[:-1]}ies"]
    return [f"{word}s"]
