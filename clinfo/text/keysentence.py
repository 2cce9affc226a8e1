"""Key sentences: which sentences of an abstract say what the article found about a question."""

from __future__ import annotations

from clinfo.records.articles import Article
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.lexicon import either
from clinfo.text.question import affirmed
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import Concept, acronyms, concepts, coverage, stems, vocabulary

_EFFECT = anycase(
    rf"\b(?:{either('falling', 'finding')}|{either('better', 'finding')}|"
    rf"{either('rising', 'finding')}|{either('alike', 'finding')}|worse|significant\w*|"
    r"associat\w+|safe\w*|differ\w*|feasible|predict\w*|no evidence|did not|does not|useful|"
    r"accura\w+|reliab\w+|risk)\b"
)
_ONLY_OUTLOOK = anycase(
    r"\b(?:further|future|additional|more|larger?|prospective|long-term)\b[^.;]{0,60}\b(?:research|"
    r"stud(?:y|ies)|trials?|"
    r"investigations?|work|evaluation|data|evidence)\b[^.;]{0,60}\b(?:need\w*|warrant\w*|requir\w+|"
    r"necessary|should|"
    r"will|must|"
    r"recommended|essential|merited|justified)|\b(?:warrants?|merits?|needs?|deserves?|"
    r"requires?)\b[^.;]{0,30}\b(?:further|future|more|additional)\b"
    r"|\b(?:trials?|studies|research|data) (?:is|are) (?:\w+ )?(?:needed|required|warranted|"
    r"necessary)\b"
    r"|\bfurther investigation\b|\bremains? to be\b|\bif any\b[^.;]{0,20}\bshould\b|"
    r"\b(?:trials?|studies|research|investigations?) should\b|\bneeds? (?:confirmation|to be "
    r"confirmed|verification)\b|"
    r"\bshould be (?:sought|confirmed|repeated|clarified|replicated|verified|explored|investigated|"
    r"studied)\b"
)
_ASKS_FOR_STUDIES = anycase(
    r"\b(?:stud(?:y|ies)|trials?|research|investigations?)\s(?:[\w-]+\s){0,4}(?:is|are|seems?|"
    r"appears?|would be)\s(?:\w+\s)?"
    r"(?:recommended|advisable|advised|desirable|encouraged|suggested|called for|merited|justified|"
    r"awaited|mandatory|indicated)\b"
)
_SAYS_MORE = anycase(
    r"\b(?:but|although|though|while|whereas|however|and|nevertheless|since|because)\b|;"
)
"""Words where a call for research may stand beside a finding."""
_WHO_THEY_WERE = anycase(
    r"\b(?:majority|most|\d+(?:\.\d+)?\s?%\)?|patients|participants|subjects|respondents|"
    r"sample)\b[^.;]{0,60}?\b(?:were|was)\s"
    r"(?:\w+ly\s)?(?:white|black|caucasian|hispanic|asian|african|female|male|women|men|girls|boys|"
    r"married|single|unmarried)\b"
    r"|\b(?:mean|median|average)\s(?:patient\s)?age\b[^.;]{0,40}\b(?:was|were|is|[=:])"
    r"|\b(?:study|trial) was (?:conducted|carried out|performed) (?:in|on|with|among) \w+"
)
"""Words for who was studied, which is not a finding."""
_STATISTIC = anycase(
    r"\d\s?%|\bp\s?[<>=≤≥]|\bCI\b|confidence interval|\b(?:OR|HR|RR|AOR|aHR|SMD|"
    r"MD)\b\s?[=:,]?\s?\d|ratio|±|\d\.\d"
)
_PRIMARY = anycase(r"\bprimary (?:outcome|end ?point|efficacy)|\boverall\b|\bmain outcome")
_BASELINE = anycase(
    r"\bbaseline\b|\bmean age\b|\bwere (?:randomi[sz]ed|enrolled|recruited|included)\b|\bresponse "
    r"rate\b"
)

_DANGLING = anycase(
    r"(?:(?:at|after|by|in|during|over)\s(?:[\w-]+\s){0,3}[\w-]+,?\s(?=(?:it|they)\s))?"
    r"(?:it|they|he|she|this|these|those|that|both|neither|either|the (?:former|latter|others?|"
    r"same|corresponding)|such)\s"
    r"(?:\w+ly\s)?(?:was|were|is|are|has|had|have|did|does|do|can|could|may|might|would|also|"
    r"\w+ed)\b|"
    r"(?:their|its|his|her|one of them|of (?:these|those|them))\b"
)
_BARE_FIGURE = regex(
    r"\b(?:by|to|from|of|was|were)\s[−-]?\d+(?:\.\d+)?(?:\s?±\s?\d+(?:\.\d+)?)?(?=,?\s(?:with|in|"
    r"for|to|and|against|versus|vs|at|"
    r"by)\b)|"
    r"\bin\s\d+\sand\s\d+\b(?!\s?%)"
)
"""A figure without a unit or a noun ("rose by 16.80 ± 9.15 with")."""

LONGEST = 420
"""Characters beyond which a second sentence is not added to a finding."""


def finding_sentences(article: Article, question: str) -> tuple[AbstractSentence, ...]:
    """One to three sentences, in their order: the conclusion on the question and, where it has no
    figures, the key result.

    Empty for an article without abstract.
    """
    sentences = [sentence for sentence in abstract_sentences(article) if sentence.role != "notice"]
    if not sentences:
        return ()
    wanted = concepts(affirmed(question).text)
    expansions = acronyms(f"{article.title} {article.abstract}")
    conclusions = [sentence for sentence in sentences if sentence.role == "conclusion"]
    results = [sentence for sentence in sentences if sentence.role == "results"]
    telling = [
        sentence
        for sentence in results
        if _EFFECT.search(sentence.text) and not tells_little(sentence.text)
    ]
    concludes_little = bool(conclusions) and all(
        tells_little(sentence.text) for sentence in conclusions
    )
    pool = (telling if concludes_little else []) or conclusions or results or sentences[-2:]
    scored = [
        (_conclusion_score(sentence, place, pool, wanted, expansions), -place)
        for place, sentence in enumerate(pool)
    ]
    best = -max(scored)[1]
    chosen = [pool[best]]
    following = pool[best + 1] if best + 1 < len(pool) else None
    if (
        following is not None
        and not tells_little(following.text)
        and scored[best + 1][0] >= 0.85 * scored[best][0]
        and len(chosen[0].text) + len(following.text) <= LONGEST
    ):
        chosen.append(following)
    if not any(_STATISTIC.search(sentence.text) for sentence in chosen):
        result = _key_result([each for each in results if each not in chosen], wanted, expansions)
        if result is not None:
            chosen.append(result)
    return tuple(sorted(chosen, key=lambda sentence: sentence.start))


_WELL_KNOWN = regex(
    r"\b(?:is|are|remains?) (?:an?|one of the|the) (?:most |relatively |very )?"
    r"(?:common|frequent|major|leading|well-known|serious|rare)\b"
)
"""Common knowledge on a disease, before a study begins."""


def says_effect(sentence: str) -> bool:
    """Return whether a sentence has words of an effect or of a comparison."""
    return _EFFECT.search(sentence) is not None


def is_outlook(sentence: str) -> bool:
    """Return whether a sentence only asks for more research."""
    return _ONLY_OUTLOOK.search(sentence) is not None


def tells_little(sentence: str) -> bool:
    """Return whether a sentence only asks for more research, or only says who was studied: no
    finding to tell where there is another.
    """
    if is_on_size(sentence) or (
        _WHO_THEY_WERE.search(sentence) and not _SAYS_MORE.search(sentence)
    ):
        return True
    if _WELL_KNOWN.search(sentence) and not has_statistic(sentence):
        return True
    asks = is_outlook(sentence) or _ASKS_FOR_STUDIES.search(sentence) is not None
    return asks and not has_statistic(sentence) and not _SAYS_MORE.search(sentence)


def is_on_size(sentence: str) -> bool:
    """Return whether a sentence is on how many people a study needed, not on what it found."""
    return _SIZE.search(sentence) is not None


_SIZE = anycase(
    r"\A\W*(?:the|our|this)\s(?:statistical\s)?(?:strength|power|sample size|size)"
    r"(?:\sof\s(?:the|this|our)\s(?:study|trial|sample))?\s(?:was|is|had)\b"
    r"(?!.*\b(?:but|although|though|however|while|and)\b.*\b(?:did|was|were)\b)"
)


def starts_dangling(sentence: str) -> bool:
    """Return whether a sentence begins with a word that stands for something in the sentence before
    ("It was present in …").
    """
    return _DANGLING.match(sentence) is not None


def has_statistic(sentence: str) -> bool:
    """Return whether a sentence states a measured result."""
    return _STATISTIC.search(sentence) is not None


def _conclusion_score(
    sentence: AbstractSentence,
    place: int,
    pool: list[AbstractSentence],
    wanted: tuple[Concept, ...],
    expansions: dict[str, str],
) -> float:
    score = 2.0 * coverage(wanted, vocabulary(sentence.text, expansions))
    score += 0.8 if _EFFECT.search(sentence.text) else 0.0
    score += 0.3 if has_statistic(sentence.text) else 0.0
    score -= 1.2 if is_outlook(sentence.text) else 0.0
    score -= 2.0 if tells_little(sentence.text) else 0.0
    score -= 0.4 if starts_dangling(sentence.text) else 0.0
    score -= 0.15 * min(place, 4) if sentence.labelled else 0.0
    score -= 0.6 if len(stems(sentence.text)) < 6 else 0.0
    return score


def _key_result(
    results: list[AbstractSentence], wanted: tuple[Concept, ...], expansions: dict[str, str]
) -> AbstractSentence | None:
    best: tuple[float, int] | None = None
    for place, sentence in enumerate(results):
        if not has_statistic(sentence.text) or len(sentence.text) > LONGEST:
            continue
        score = 1.5 * coverage(wanted, vocabulary(sentence.text, expansions))
        score += 0.5 if _EFFECT.search(sentence.text) else 0.0
        score += 0.4 if _PRIMARY.search(sentence.text) else 0.0
        score -= 0.8 if _BASELINE.search(sentence.text) else 0.0
        score -= 1.2 if tells_little(sentence.text) else 0.0
        score -= 0.6 if starts_dangling(sentence.text) else 0.0
        score -= 0.4 if _BARE_FIGURE.search(sentence.text) else 0.0
        score -= 0.05 * place
        if best is None or score > best[0]:
            best = (score, place)
    return results[best[1]] if best is not None else None
