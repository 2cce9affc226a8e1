"""Lead-ins: what stands before the statement of a sentence and says nothing of it ("In conclusion,
our results suggest that …").
"""

from __future__ import annotations

from clinfo.text.regex import anycase

_LEAD_IN = anycase(
    r"^(?:(?:in (?:conclusion|summary|addition|contrast)|overall|thus|therefore|hence|consequently|"
    r"taken together|to conclude|"
    r"conclusions?|finally|however|moreover|furthermore|nevertheless|nonetheless|additionally|"
    r"similarly|also|still|"
    r"in this (?:\w+ ){0,3}(?:study|trial|cohort|population|series|analysis|review)|in (?:our|the "
    r"present|"
    r"the current) (?:\w+ )?(?:study|trial|series|cohort|experience))"
    r"\s*[,:]\s*|(?-i:CONCLUSIONS?|RESULTS?)\s*[.:]?\s+|"
    r"(?-i:(?:CONCLUSIONS?|RESULTS?|Conclusions?|Results?|Interpretation|Discussion)(?=[A-Z][a-z]|"
    r"[A-Z]\s))|"
    r"(?:but|and)\s+)|"
    r"^(?:(?:we|the authors) (?:\w+ )?(?:conclude[sd]?|found|find|showed|demonstrated?)|"
    r"(?:it is|we have) (?:concluded|shown)|(?:these|our|"
    r"the|this|the present|the current) "
    r"(?:(?:\w+ )?(?:results|data|findings|study|trial|analysis|review|meta-analysis)) "
    r"(?:(?:clearly|also|further) )?(?:suggests?|indicates?|shows?|showed|demonstrates?|"
    r"demonstrated|confirms?|"
    r"confirmed|found|reveals?|revealed)) that\s+,?\s*"
)


def lead_in(sentence: str) -> int:
    """Return how many characters at its beginning are lead-in; 0 for none."""
    start = 0
    while (match := _LEAD_IN.match(sentence[start:])) is not None and match.end():
        start += match.end()
    return start if len(sentence) - start >= _LEAST_LEFT else 0


_LEAST_LEFT = 20
"""Characters that must be left for a lead-in to be cut."""
