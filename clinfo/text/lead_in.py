"""Lead-ins: what stands before the statement of a sentence and says nothing of it ("In conclusion,
our results suggest that …").
"""

from __future__ import annotations

from clinfo.text.lexicon import either
from clinfo.text.regex import anycase

_LEAD_IN = anycase(
    r"^(?:(?:in (?:conclusion|summary|addition|contrast)|overall|thus|therefore|hence|"
    r"consequently|taken together|to conclude|conclusions?|finally|however|moreover|"
    r"furthermore|nevertheless|nonetheless|additionally|similarly|also|still|"
    rf"in this (?:\w+ ){{0,3}}(?:{either('study_kinds', 'lead_in')})|in (?:our|the present|"
    rf"the current) (?:\w+ )?(?:{either('study_kinds', 'lead_in_own')}))\s*[,:]\s*|"
    r"(?-i:CONCLUSIONS?|RESULTS?)\s*[.:]?\s+|(?-i:(?:CONCLUSIONS?|RESULTS?|Conclusions?|"
    r"Results?|Interpretation|Discussion)(?=[A-Z][a-z]|[A-Z]\s))|(?:but|and)\s+)|^(?:(?:we|"
    r"the authors) (?:\w+ )?(?:conclude[sd]?|found|find|showed|demonstrated?)|(?:it is|"
    r"we have) (?:concluded|shown)|(?:these|our|the|this|the present|"
    r"the current) (?:(?:\w+ )?(?:results|data|findings|study|trial|analysis|review|"
    r"meta-analysis)) (?:(?:clearly|also|further) )?(?:suggests?|indicates?|shows?|showed|"
    r"demonstrates?|demonstrated|confirms?|confirmed|found|reveals?|revealed)) that\s+,?\s*"
)


def lead_in(sentence: str) -> int:
    """Return how many characters at its beginning are lead-in; 0 for none."""
    start = 0
    while (match := _LEAD_IN.match(sentence[start:])) is not None and match.end():
        start += match.end()
    return start if len(sentence) - start >= _LEAST_LEFT else 0


_LEAST_LEFT = 20
"""Characters that must be left for a lead-in to be cut."""
