"""Relation: whether an article's own conclusion says yes or no to a question, or neither.

The question's form ("Does X reduce Y?", "Is X safe?", "Are there differences?") and the wording of the conclusion
(negations, comparisons, hedges, recommendations) become named features; a linear scorer with the weights of
`relation_weights` turns them into one score for yes, no and maybe. A question that cannot be answered by yes or no is
read as "what does this article find": then only a conclusion that says nothing leaves it unanswered.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from clinfo.records import Article, Relation
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.keysentence import is_outlook
from clinfo.text.relation_weights import BIAS, THRESHOLDS, WEIGHTS
from clinfo.text.terms import Concept, acronyms, concepts, coverage, stem, vocabulary, words

CLASSES = ("yes", "no", "maybe")


def _any(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_NEGATION = r"(?:no|not|nor|neither|none|without|lack(?:s|ed|ing)? (?:of)?|little|absence of|fail(?:s|ed|ure)? to|unable to|never|cannot|\w+n['’]t|hardly|rarely|unlikely|scarcely)"
_GAP = r"(?:[\s,-]+(?!but\b|however\b|although\b|only\b)[\w'’%/().+-]+){0,6}?[\s-]+"

QUESTION_FORMS: dict[str, re.Pattern[str]] = {
    "difference": _any(r"\bdiffer\w*|\bdisparit\w+|\bvary\b|\bvariations?\b|\bdiscriminat\w+|\bdistinguish\w*|\bdistinct\b"),
    "sameness": _any(r"\b(?:same|similar|equal(?:ly)?|equivalent|comparable|agree\w*|as (?:\w+ ){1,2}as|match|identical|interchangeable|no difference|consistent)\b"),
    "association": _any(r"\b(?:associat\w+|relat(?:ed|ion\w*)|correlat\w+|link(?:ed)?|depend\w*|connect\w+)\b"),
    "prediction": _any(r"\b(?:predict\w*|prognos\w+|risk factors?|marker\w*|indicator\w*|determinant\w*)\b"),
    "effect": _any(r"\b(?:affect\w*|effects?|influenc\w+|impact\w*|chang\w+|role|alter\w*|modif\w+|matter|contribut\w+|make a difference)\b"),
    "rise": _any(r"\b(?:increas\w+|improv\w+|enhanc\w+|higher|greater|more|better|superior|benefit\w*|promot\w+|advantage\w*|add(?:ed|itional)?)\b"),
    "fall": _any(r"\b(?:reduc\w+|decreas\w+|lower\w*|prevent\w*|protect\w*|less|fewer|minimi[sz]e\w*|avoid\w*)\b"),
    "harm": _any(r"\b(?:compromis\w+|harm\w*|worse\w*|adverse\w*|impair\w*|risk|contraindicat\w+|danger\w*|complicat\w+|problem\w*|jeopardi[sz]e\w*|overestimat\w+|underestimat\w+|"
                 r"over-?used|limit\w*|barrier\w*|caus\w+|fail\w*|delay\w*|increase (?:the )?risk)\b"),
    "safety": _any(r"\b(?:safe\w*|toler\w+)\b"),
    "efficacy": _any(r"\b(?:effective\w*|efficac\w+|useful\w*|feasib\w+|possible|reliab\w+|accura\w+|valid\w*|worth\w*|justif\w+|appropriate|work|beneficial|helpful|success\w*|adequate|"
                     r"sufficient|acceptable|alternative|value|valuable|utility|viable|practical|good)\b"),
    "need": _any(r"\b(?:necess\w+|needed?|require\w*|should|must|mandatory|indicated|essential|recommend\w+|time to|ought|routine(?:ly)?)\b"),
    "ability": _any(r"^\W*can\b|: can\b|\b(?:able|ability|possible)\b"),
    "existence": _any(r"\b(?:is|are|was|were) there\b|\bexist\w*\b|\bhave a\b"),
    "knowledge": _any(r"\b(?:know\w*|aware\w*|understand\w*|follow\w*|compl(?:y|iance)|adher\w+|perceiv\w*|prefer\w*|attitudes?|satisf\w+)\b"),
}  # fmt: skip

_OPEN = _any(r"^\W*(?:what|which|how|why|when|where|who|whom|whose)\b|[:.?]\s*(?:what|which|how|why|when|where|who)\b[^?]*\?")
_CLOSED = _any(
    r"(?:^|[:;,.?!–—-]\s*|^\W*)(?:and |but |if so,? |or )?(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had|may|might|must|need|am)(?:n['’]t)?\b[^?]*\?"
)

CUES: dict[str, re.Pattern[str]] = {
    "negated effect": _any(
        rf"\b{_NEGATION}\b{_GAP}(?:differ\w*|effects?|affect\w*|associat\w*|correlat\w*|relat\w+|impact\w*|influenc\w*|benefi\w+|improv\w*|reduc\w*|increas\w*|decreas\w*|chang\w*|"
        r"advantage\w*|significan\w*|predict\w*|prevent\w*|lower\w*|higher|superior\w*|better|enhanc\w*|alter\w*|worse\w*|greater|longer|shorter|role|link\w*|correspond\w*|risk|"
        r"contribut\w*|compromis\w*|caus\w+|lead|result in|add\b|provide\w*|offer\w*|protect\w*)"
    ),
    "negated value": _any(
        rf"\b{_NEGATION}\b{_GAP}(?:recommend\w*|justif\w*|support\w*|necess\w+|need\w*|requir\w+|useful\w*|effective\w*|efficac\w+|reliab\w*|accura\w+|valid\w*|adequate\w*|appropriate\w*|"
        r"sufficient\w*|feasib\w*|indicated|warrant\w*|suitable|helpful|possible|able|be used|replace\w*|detect\w*|identif\w+|discriminat\w*|distinguish\w*|confirm\w*|considered|"
        r"preclude|contraindicat\w*|an? (?:\w+ )?(?:risk factor|predictor|marker|contraindication|barrier|substitute|alternative|option))"
    ),
    "no evidence": _any(
        r"\b(?:no|little|lack of|insufficient|not (?:enough|sufficient)|limited|weak|scarce|inconclusive) (?:\w+ )?(?:evidence|support|data|proof|indication)\b|\bhypothes[ie]s\b[^.;]*\b(?:not|reject\w*)\b"
        r"|\b(?:do|does|did|could|can) ?not (?:\w+ )?(?:support|confirm|show|demonstrate|find|detect|suggest|prove|provide|indicate)\b|\bwe found no\b|\bfailed to (?:show|find|demonstrate|confirm|detect)\b"
    ),
    "sameness": _any(
        r"\b(?:similar\w*|comparable|comparably|equivalent|equivalence|equal(?:ly)?|identical|the same|same|unchanged|unaffected|non-?inferior\w*|not inferior|as (?:\w+ )?(?:effective|safe|good|well|accurate|reliable) as|"
        r"independent(?:ly)? of|regardless of|irrespective of|irrelevant)\b"
    ),
    "difference found": _any(
        r"\b(?:significant(?:ly)? (?:\w+ )?(?:differ\w+|higher|lower|greater|more|less|better|worse|longer|shorter|increas\w+|decreas\w+|reduc\w+|improv\w+|associat\w+|correlat\w+|relat\w+|predict\w*|impact|effect|influence)"
        r"|differ(?:s|ed)? (?:\w+ )?(?:between|from|by|in|among|significantly)|differences? (?:was|were|exist\w*|between)|discrepan\w+|disparit\w+|varie[sd])\b"
    ),
    "association": _any(
        r"\b(?:(?:is|are|was|were|be|been|strongly|significantly|independently|positively|inversely|closely|directly|also|highly) (?:\w+ )?(?:associated|correlated|related|linked)|associated with|correlate[sd]? with|"
        r"correlates|(?:an |the )?(?:independent|significant|strong|important|reliable|useful|good) (?:\w+ )?(?:predictors?|risk factors?|markers?|determinants?|indicators?|associations?|relationships?|correlations?))\b"
    ),
    "effect": _any(
        r"\b(?:improve[sd]?|improvements?|reduces?d?|reductions?|increase[sd]?|decrease[sd]?|prevent(?:s|ed)?|lower(?:s|ed)|enhance[sd]?|affect(?:s|ed)?|influence[sd]?|impact(?:s|ed)?|predict(?:s|ed)?|contributes?d?|"
        r"leads? to|led to|results? in|resulted in|causes?d?|benefit(?:s|ed|ted)?|plays? an?|protect(?:s|ed|ive)?|promotes?d?|delays?|delayed)\b"
    ),
    "comparative gain": _any(r"\b(?:better|superior|higher|greater|more (?:\w+ly )?\w+|larger|longer|increased|stronger|advantage\w*|outperform\w*|faster)\b"),
    "comparative loss": _any(r"\b(?:worse|inferior|lower|fewer|less|smaller|shorter|decreased|reduced|poorer|weaker|slower)\b"),
    "good value": _any(
        r"\b(?:effective(?:ly)?|efficacious|efficacy|safe(?:ly)?|feasible|feasibility|useful(?:ly)?|usefulness|reliabl[ey]|reliability|accurate(?:ly)?|valid|valuable|beneficial|successful(?:ly)?|promising|well tolerated|"
        r"acceptable|adequate|appropriate|helpful|excellent|good|satisfactory|viable|suitable|justified|worthwhile|practical|favou?rable|advantageous|reproducible|cost-effective|attractive|efficient)\b"
    ),
    "recommends": _any(r"\b(?:should (?:be|have|include|receive|undergo|consider)|recommend(?:ed|s)?|is indicated|are indicated|is warranted|must be|can be (?:\w+ )?(?:used|performed|considered|achieved|applied|recommended|made|done|safely)|need(?:s)? to|"
                       r"it is (?:important|necessary|essential)|are needed|is needed|is necessary|are necessary|is essential|is required)\b"),
    "can": _any(r"\b(?:can|could|able to|possible|capable|allows?|enables?)\b(?!\s*not)"),
    "bad value": _any(
        r"\b(?:unnecessary|limited|poor(?:ly)?|inadequate(?:ly)?|ineffective|unreliable|unsafe|underestimat\w+|overestimat\w+|inaccurate\w*|insufficient(?:ly)?|questionable|disappointing|not worth|unhelpful|useless|"
        r"unsatisfactory|suboptimal|inappropriate|low|lacking|underus\w+|deficien\w+|fail(?:s|ed|ure)?|redundant|abandoned|difficult\w*|problematic|imprecise|inconsistent\w*|contraindicated|rarely|seldom|unlikely|reconsider\w*|discouraged|misleading)\b"
    ),
    "unnecessary": _any(r"\b(?:unnecessary|not (?:be )?(?:necessary|needed|required|mandatory|routinely|always)|no (?:longer )?(?:need|necessity|longer)|avoid(?:ed|s|ing)?|omit\w*|unjustified|safely (?:omitted|discharged|avoided)|obviate\w*|dispens\w+)\b"),
    "hedge": _any(r"\b(?:may|might|could|seems?|appears?|possibl[ey]|potential(?:ly)?|perhaps|probabl[ey]|likely|suggest(?:s|ed|ing|ive)?|presum\w+|tend(?:s|ed)?|trend)\b"),
    "may": _any(r"\b(?:may|might)\b"),
    "weak": _any(r"\b(?:limited|weak(?:ly)?|modest(?:ly)?|small|slight(?:ly)?|partial(?:ly|y)?|moderate(?:ly)?|marginal(?:ly)?|minor|minimal(?:ly)?|some)\b"),
    "doubt": _any(r"\b(?:unclear|uncertain\w*|unknown|inconclusive|conflicting|controvers\w+|remain(?:s|ed)? (?:to be|un\w+|a)|cannot be (?:\w+ )?(?:determined|excluded|concluded|established|ruled)|not (?:conclusive|definit\w+|clear)|conclusive|"
                  r"caution\w*|caveats?|debat\w+|premature|no (?:definit\w+|firm|clear)|difficult to)\b"),
    "more research": _any(r"\b(?:further|future|more|additional|larger?|prospective|randomi[sz]ed|long-term|confirm\w*)\b[^.;]{0,50}\b(?:research|stud(?:y|ies)|trials?|investigations?|work|evaluation|data|evidence)\b"),
    "contrast": _any(r"\b(?:however|but|although|though|whereas|while|despite|nevertheless|nonetheless|yet|on the other hand|in contrast|conversely|even though|rather than)\b"),
    "restriction": _any(r"\b(?:only|except|in (?:some|certain|selected|a subset|specific|the subgroup)|subgroups?|selected (?:patients|cases|group)|depend(?:s|ing|ent)|in cases? (?:of|where)|unless|limited to|restricted to|at least in|especially|particularly|certain|subset)\b"),
    "both sides": _any(r"\b(?:both|in part|partly|not all|not (?:only|always|necessarily)|varie[sd]?|variab\w+|mixed|individual\w*|case-by-case|on the one hand|trade-?off|equivocal)\b"),
    "strong": _any(r"\b(?:significant(?:ly)?|clearly|strong(?:ly)?|confirm(?:s|ed)?|demonstrate[sd]?|conclude|indeed|substantial(?:ly)?|major|important(?:ly)?|high(?:ly)?|considerabl[ey]|marked(?:ly)?|independent(?:ly)?|show(?:s|ed|n)?)\b"),
}  # fmt: skip

_SIGNIFICANT = _any(
    r"\bp\s?(?:value)?s?\s?(?:of|was|were)?\s?[<≤]\s?0?[.·]0|\bp\s?=\s?0?[.·]0[0-4]|\bsignificantly\b|\bstatistically significant\b"
)
_NOT_SIGNIFICANT = _any(
    r"\bp\s?(?:value)?\s?[=>]\s?0?[.·](?:[1-9]|0[5-9])|\bp\s?>\s?0?[.·]0|\b(?:not|no|non-?|without)\s?(?:\w+\s){0,3}?(?:statistically )?significan\w+|\bn\.?s\.?\b(?=[,;)])|\bno (?:\w+ )?differences?\b|\bdid not differ\b"
)


@dataclass(frozen=True)
class Stance:
    """What an article says to a question: the probabilities of yes, no and maybe, which add up to 1."""

    yes: float
    no: float
    maybe: float


def is_closed(question: str) -> bool:
    """Whether a question can be answered by yes or no."""
    return _CLOSED.search(question) is not None or _OPEN.search(question) is None


def relation(question: str, article: Article) -> Relation:
    """The relation of the article's own conclusion to the question; "does not answer" for an article without abstract."""
    own = features(question, article)
    if own is None:
        return "does not answer"
    found = stance(own)
    if found.maybe >= THRESHOLDS["maybe"]:
        return "does not answer" if own.get("silent", 0.0) > 0 else "mixed"
    return "supports" if found.yes >= found.no + THRESHOLDS["no"] else "contradicts"


def stance(own: dict[str, float]) -> Stance:
    """The probabilities that `features` lead to (multinomial logistic regression)."""
    scores = [BIAS[place] for place in range(3)]
    for name, value in own.items():
        row = WEIGHTS.get(name)
        if row is not None:
            for place in range(3):
                scores[place] += row[place] * value
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    total = sum(parts)
    return Stance(*(part / total for part in parts))


def features(question: str, article: Article) -> dict[str, float] | None:
    """Named features of question and conclusion, values about -1 to 1; None for an article without abstract."""
    sentences = [sentence for sentence in abstract_sentences(article) if sentence.role != "notice"]
    conclusion = [sentence for sentence in sentences if sentence.role == "conclusion"]
    if not sentences:
        return None
    if not conclusion:
        conclusion = sentences[-2:]
    results = [sentence for sentence in sentences if sentence.role == "results"]
    expansions = acronyms(f"{article.title} {article.abstract}")
    wanted = concepts(question)
    focus = _focus(conclusion, wanted, expansions)
    found: dict[str, float] = {}
    forms = [name for name, pattern in QUESTION_FORMS.items() if pattern.search(question)]
    for name in forms:
        found[f"asks {name}"] = 1.0
    here = cues(focus.text)
    for name in here:
        found[f"says {name}"] = 1.0
        for form in forms:
            found[f"asks {form}, says {name}"] = 1.0
    rest = [sentence.text for sentence in conclusion if sentence is not focus]
    for name in {cue for text in rest for cue in cues(text)}:
        found[f"adds {name}"] = 1.0
    _echo(question, focus.text, found)
    yes = sum(1 for sentence in results if _SIGNIFICANT.search(sentence.text))
    no = sum(1 for sentence in results if _NOT_SIGNIFICANT.search(sentence.text))
    if yes or no:
        found["results significant"] = (yes - no) / (yes + no)
    covered = coverage(wanted, vocabulary(focus.text, expansions))
    found["covered"] = covered
    if covered < 0.25 or is_outlook(focus.text):
        found["silent"] = 1.0
    found["sentences"] = min(len(conclusion), 5) / 5
    return found


def cues(text: str) -> list[str]:
    """Names of the cues (`CUES`) that stand in ``text``."""
    return [name for name, pattern in CUES.items() if pattern.search(text)]


def _focus(conclusion: list[AbstractSentence], wanted: tuple[Concept, ...], expansions: dict[str, str]) -> AbstractSentence:
    def score(place: int) -> float:
        text = conclusion[place].text
        return coverage(wanted, vocabulary(text, expansions)) - 0.1 * place - (0.5 if is_outlook(text) else 0.0)

    return conclusion[max(range(len(conclusion)), key=score)]


_NEGATOR = _any(rf"\b{_NEGATION}\b")
_PLAIN = frozenset(stem(word) for word in ["patient", "patients", "study", "use", "used", "using", "group", "treatment", "can", "should", "does"])


def _echo(question: str, text: str, found: dict[str, float]) -> None:
    """Features of the question's last content words (its predicate) standing in the conclusion, negated or not."""
    asked = [stem(word) for word in words(question)]
    predicate = [part for part in asked if part not in _PLAIN and len(part) > 3]
    said = words(text)
    stemmed = [stem(word) for word in said]
    negated = 0
    plain = 0
    for place, part in enumerate(stemmed):
        if part in predicate:
            before = " ".join(said[max(0, place - 6) : place])
            if _NEGATOR.search(before):
                negated += 1
            else:
                plain += 1
    if negated + plain:
        found["echo negated"] = negated / (negated + plain)
