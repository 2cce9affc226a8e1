"""Sentences of a title or an abstract that are addressed to a language model and try to steer it.

Rules over the text as a model reads it: look-alike letters folded, invisible characters dropped,
lines joined. A sentence that reports such wording in quotation marks, as papers on prompt injection
do, is not one. What no rule knows passes unseen, so article text is fenced as data in every prompt
whatever is found here (`clinfo.llm.delimiting`).
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache

from clinfo.records.appraisal import Notice
from clinfo.records.articles import Article
from clinfo.text.sentences import sentence_spans

_MODEL = (
    r"(?:AIs?|LLMs?|A\.I\.|(?:large )?language models?|GPT(?:-?\d\S{0,3})?|ChatGPT|Claude|Gemini|"
    r"Llama|Copilot|chat ?bots?|AI \w+)"
)
_ARTICLE = (
    r"(?:this|the present|the following|our|my) (?:article|paper|study|abstract|trial|work|"
    r"manuscript|record|text|document"
    r"|review|one)"
)
_START = (
    r"(?:\A|[.!?:;\"“”)\]>*#—-] ?|\b(?:please|now|must|should|shall|then|instead|just|always|and|"
    r"you to|task is to|assistant"
    r"|reviewers?|model),? )"
)
_CALLED = (
    r"(?:ChatGPT|GPT(?:-?\d\S{0,3})?|Claude|Gemini|Llama|Copilot|DeepSeek|Mistral|Grok|Qwen|"
    r"Perplexity"
    r"|(?:dear |hello |hey |the )?(?:(?:AI|LLM|language|large language|reviewer|reviewing|judging|"
    r"summari[sz]ing) ){0,2}"
    r"(?:AIs?|LLMs?|(?:language )?models?|assistants?|reviewers?|chat ?bots?|summari[sz]ers?|"
    r"agents?))"
)
"""Names of those who may be called upon, by name or by what it does."""
_ASKED = (
    r"(?:please|kindly|you (?:must|should|shall|have to|need to|are|will|may)|(?:always |never |"
    r"only |just |do not |don['’]t )*"
    r"(?:recommend|rate|set|mark|label|answer|reply|respond|say|cite|ignore|disregard|include|rank|"
    r"score|judge|classify|choose"
    r"|select|endorse|prefer|conclude|summari[sz]e|report|write|tell|treat|give|accept)\b(?! "
    r"(?:and|or|of|in|was|were|is|are)\b))"
)
_OLD = r"(?:(?:all|any|every|each|of|the|your|my|these|those|other|and|or)[ ,]){0,4}"
_BEFORE_THAT = (
    r"(?:previous|prior|above|preceding|earlier|foregoing|existing|initial|original|system|default|"
    r"former|user(?:['’]s)?)"
)
_ORDERS = (
    r"(?:instructions?|prompts?|directions?|directives?|commands?|guidelines?|rules|messages?|"
    r"context|constraints|safeguards"
    r"|training)"
)

_PATTERNS = (
    # Away with what was said before.
    rf"{_START}(?:ignore|disregard|forget|override|bypass|discard|overlook"
    rf"|neglect) {_OLD}(?:{_BEFORE_THAT}[ ,]+(?:and )?){{1,3}}{_ORDERS}",
    (
        rf"{_START}(?:ignore|disregard|forget|override|bypass|discard) (?:all )?(?:of )?(?:your|"
        rf"these|those) (?:\w+ )?{_ORDERS}"
    ),
    (
        rf"{_START}(?:ignore|disregard|forget) (?:everything|all|anything|what) (?:\w+ "
        r"){0,3}(?:above|before|so far|previously"
        r"|told|said)\b"
    ),
    (
        rf"{_START}(?:ignore|disregard) the (?:above|foregoing)\b(?! (?:mentioned|risk|factor|"
        r"limitation))"
    ),
    (
        rf"{_START}(?:ignore|disregard|forget|skip) (?:all |any |the )?other (?:articles|papers|"
        r"studies|abstracts|documents|sources)\b"
    ),
    r"\bdo not (?:follow|obey) (?:the |your |any |previous )+(?:\w+ )?(?:instructions|prompt)",
    r"\bnew (?:system )?instructions?(?: for you)? ?:",
    # Who the model is to be.
    r"\byou are now (?:an? |the |in |no longer |free )",
    rf"\byou are (?:an? )?(?:\w+ ){{0,2}}(?:{_MODEL}|assistant)\b",
    rf"\bas an? (?:\w+ ){{0,2}}(?:{_MODEL}|AI assistant),? (?:you|your|please)\b",
    rf"\b(?:if|since|because) you(?: are|['’]re) (?:an? )?(?:\w+ ){{0,2}}(?:{_MODEL}|assistant)\b",
    (
        rf"{_START}(?:pretend|act|behave|respond) (?:to be|as if|as though|like) (?:you\b|an? "
        rf"(?:\w+ ){{0,2}}(?:{_MODEL}|assistant))"
    ),
    r"\bfrom now on,? (?:you|always|only|answer|respond)\b",
    (
        r"\b(?:attention|dear|hello|hey|note (?:to|for)|message (?:to|for)|instructions? (?:to|"
        r"for)|important:?|warning:?) (?:to "
        r"|for )?"
        rf"(?:any |all |the |every )?{_MODEL}(?: (?:\w+ ){{0,2}}(?:reading|processing|reviewing|"
        r"summari[sz]ing))?[ ,:!]"
    ),
    (
        rf"\b{_MODEL}(?: \w+)? (?:reading|processing|reviewing|summari[sz]ing|judging|parsing) "
        rf"{_ARTICLE}\b"
    ),
    rf"(?:\A|[.!?:;\"“”)\]>*#] ?){_CALLED} ?[,:!—-] ?{_ASKED}",
    rf"\bplease [^.;:!?]{{1,80}}, (?:dear )?{_CALLED} ?[.!?]",
    (
        r"\b(?:dear|hello|hey|greetings|note (?:to|for)|message (?:to|for)|instructions? (?:to|"
        r"for)),? (?:the |all |any |every )?"
        rf"{_CALLED} ?[,:!]"
    ),
    # The prompt itself.
    (
        rf"{_START}(?:reveal|print|show|repeat|output|leak|disclose|display) (?:me )?(?:your|the) "
        r"(?:\w+ )?(?:system prompt|prompt"
        r"|instructions|api key)"
    ),
    r"\b(?:your|hidden|the) system (?:prompt|message)(?: is| says|:)",
    r"\b(?:system|admin|developer|root) (?:override|overwrite|mode (?:enabled|activated|on))\b",
    (
        r"<\|?/?(?:im_start|im_end|system|assistant|user|endoftext|instructions?|prompt)\|?>|"
        r"\[/?INST\]|<</?SYS>>"
    ),
    r"(?<!#)#{2,8} ?(?:instructions?|system|response|assistant|human|user|prompt|task)\b ?:?",
    r"(?<![-=*])(?:-{3,20}|={3,20}|\*{3,20}) ?(?:begin|end|start)"
    r"(?: of)?(?: the)? (?:article|abstract|document|prompt|instructions?|system"
    r"|studies|context|data)",
    # What it is to write.
    (
        r"(?:\A|[.!?:;] ?(?:always )?|\b(?:please|must|you should|and|then|just),? )(?:output|"
        r"respond|reply|answer|return|print|say"
        r"|write) (?:(?:only|exactly|just|nothing but)\b|with (?:only|exactly|just|the (?:word|"
        r"single|"
        r"following|json))|[\"“'‘]?(?:yes"
        r"|relevant)\b|\{)"
    ),
    (
        r"\byou (?:must|should|shall|have to|need to|are (?:required|instructed|ordered|asked) to|"
        r"will) (?:now |always |only |not "
        r"|never |also )*"
        r"(?:cite|answer|say|state|recommend|set|mark|label|assign|endorse|output|respond|reply|"
        r"rate|"
        r"judge|ignore|mention|conclude|summari[sz]e|write|claim"
        r"|classify|obey|comply|rank)\b"
    ),
    (
        r"\bin (?:your|the) (?:final )?(?:answer|response|summary|reply|synthesis|output|"
        r"judg[e]?ment|review)\b,? (?:please "
        r"|always |you )?"
        r"(?:say|state|write|cite|include|always|never|do not|only|mention|recommend|must)\b"
    ),
    (
        rf"{_START}(?:tell|inform|advise|convince|persuade) the (?:user|reader|clinician|doctor|"
        r"asker) (?:that|to)\b"
    ),
    # How it is to judge.
    (
        r"\bset (?:the )?(?:field |value |key )?[\"'“‘`]?(?:relevant|relevance|relation|direction|"
        r"verdict)[\"'”’`]? ?"
        r"(?:to|as|=|:) ?[\"'“‘`]?(?:yes|no|true|false|1|10|high\w*|supports|contradicts|increased|"
        r"decreased|supported)\b"
    ),
    rf"{_START}(?:rate|mark|rank) {_ARTICLE}\b",
    (
        rf"{_START}(?:rate|mark|label|judge|classify|rank|score|treat|flag|select|count|regard) "
        rf"{_ARTICLE} (?:as |with |at )?(?:the "
        r"|a |an )?(?:\w+ )?"
        r"(?:relevant|relevance|yes|positive|top|first|highest|high|true|best|important|accepted|"
        r"10)"
    ),
    (
        rf"\b{_ARTICLE} (?:must|should|has to|is to|needs to) (?:always )?be (?:rated|judged|"
        r"marked|scored|labell?ed|ranked|cited"
        r"|classified|treated)\b"
        r" ?(?:as |in every|first|highly|most|above|by (?:you|the model))"
    ),
    rf"{_START}(?:always |only )?cite (?:only |always )?(?:{_ARTICLE}(?! ?[:.])|PMID|\[\d|doi)",
    (
        r"\b(?:do not|don['’]t|never) (?:cite|mention|use|include|report|quote|summari[sz]e) "
        r"(?:any |the )?other (?:articles?"
        r"|papers?|stud(?:y|ies)|sources?|references?|abstracts?)"
    ),
    (
        rf"{_START}(?:do not|don['’]t|never) (?:highlight|mention|report) (?:any )?(?:negatives?|"
        r"weakness(?:es)?|limitations?|flaws?"
        r"|retractions?)\b"
    ),
    r"\b(?:should|must|please) recommend (?:acceptance|accepting)\b",
    (
        r"\bgive (?:a |an |this |it )(?:\w+ ){0,3}(?:positive review|(?:high|highest|top|maximum|"
        r"perfect) (?:score|rating|relevance))"
    ),
    r"\b(?:statement|sentence|answer|reply|summary) to (?:make|write|give|output|state|use) is ?:",
    # The same in other languages.
    r"\bantworte(?:n sie)? (?:nur|ausschließlich|lediglich) mit\b",
    (
        r"\b(?:ignorier(?:e|en sie|t)|vergiss|missachte) (?:alle |die |sämtliche )*(?:vorherigen|"
        r"bisherigen|obigen|vorigen"
        r"|vorangegangenen|früheren)"
        r" (?:\w+ )?(?:anweisungen|instruktionen|befehle|regeln)"
    ),
    (
        r"\b(?:ignore[rz]?|oublie[rz]?) (?:toutes )?(?:les|vos|tes) (?:instructions|consignes|"
        r"directives)(?: (?:précédentes"
        r"|antérieures|ci-dessus))?"
    ),
    (
        r"\b(?:ignora|ignore|olvida|olvide) (?:todas )?(?:las|tus|sus) (?:instrucciones|"
        r"órdenes)(?: (?:anteriores|previas))?"
    ),
    r"\b(?:ignore|esqueça|desconsidere) (?:todas )?as instruções(?: anteriores)?",
    r"\b(?:ignora|dimentica) (?:tutte )?le istruzioni(?: precedenti)?",
    r"\bnegeer (?:alle )?(?:vorige|voorgaande|eerdere|bovenstaande) (?:instructies|opdrachten)",
    r"\b(?:ignorera|glöm) (?:alla )?(?:tidigare|föregående|ovanstående) instruktioner",
    r"\b(?:zignoruj|pomiń) (?:wszystkie )?(?:poprzednie|powyższe) (?:instrukcje|polecenia)",
    (
        r"\b(?:игнорируй(?:те)?|забудь(?:те)?) (?:все )?(?:предыдущие|вышеуказанные|прежние) "
        r"(?:инструкции|указания)"
    ),
    r"(?:忽略|无视|忘记|忽視|無視)[^。.]{0,8}(?:之前|以上|前面|先前|所有|上述)[^。.]{0,8}(?:指令|指示|说明|提示|命令)",
    r"(?:以前|上記|これまで|前)の[^。.]{0,6}(?:指示|命令|プロンプト)[^。.]{0,4}(?:無視|忘れ)",
    r"이전[^.]{0,8}(?:지시|명령|지침)[^.]{0,6}무시",
    r"تجاهل (?:جميع |كل )?التعليمات(?: السابقة)?",
)
_STEERS = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS), re.IGNORECASE)
_HINT = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass|discard|overlook|neglect|skip) |\byour?\b|"
    r"\bais?\b|\ba\.i\.|llm"
    r"|language model|gpt|claude"
    r"|gemini|llama|copilot|deepseek|mistral|grok|qwen|perplexity|chat ?bot|reviewers? ?[,:!—-]"
    r"|\b(?:models?|agents?|summari[sz]ers?) ?[,:!—-]"
    r"|\bplease |\b(?:dear|hello|hey|greetings),? |\bset (?:the )?(?:field |value |key "
    r")?[\"'“‘`]?rel"
    r"|assistant|prompt|instruction|from now on|(?:system|admin|developer|root) (?:message|over"
    r"|mode)|<\|?/?(?:im_|sys"
    r"|ass|user|end|ins|<)|\[/?inst|##|(?:---|===|\*\*\*) ?(?:begin|end|start)|(?:output|respond|"
    r"reply|answer|return|print|say"
    r"|write) (?:only|exactly"
    r"|just|nothing|with (?:only|exactly|just|the)|[\"“'‘]?(?:yes|relevant)"
    r"|\{)|in the (?:final )?(?:answer|response|summary|reply|synthesis|output"
    r"|judge?ment|review)\b,? (?:please|always|say|state|write|cite|include|never|do not|only|"
    r"mention|recommend|must)|(?:tell"
    r"|inform|advise|convince"
    r"|persuade) the|(?:rate|mark|label|judge|classify|rank|score|treat|flag|select|count|regard) "
    r"(?:this|the present"
    r"|the following|our|my) "
    r"|(?:article|paper|study|abstract|trial|work|manuscript|record|text|document|review|one) "
    r"(?:must|should|has to|is to"
    r"|needs to) |\bcite\b"
    r"|(?:do not|don['’]t|never) (?:cite|mention|use|include|report|quote|summar|highlight|follow|"
    r"obey)|recommend accept"
    r"|positive review|(?:high|highest|top|maximum"
    r"|perfect) (?:score|rating|relevance)|ignorier|vergiss|missacht|\bignor[ae]|oublie|olvid|"
    r"esqueça|desconsid|dimentic|negeer|antworte|to (?:make|write|give|output|state|use) is"
    r"|glöm|zignor|pomiń"
    r"|игнор|забуд|忽|无视|忘|無視|の|이전|تجاهل",
)
_ROLE = re.compile(
    (
        r"(?:^[ \t>*_]{0,9}(?P<first>assistant|ai|chatbot|system|human)|[.!?][\"”]?[ "
        r"\t]{1,3}(?P<later>assistant|chatbot))[ \t*_]{0,9}:"
        r"(?=[ \t*_]{0,9}\S)"
    ),
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED = re.compile(
    r"\"[^\"]{3,200}\"|“[^”]{3,200}”|(?<!\w)'[^'\n]{3,200}'(?!\w)|‘[^’\n]{3,200}’(?!\w)|"
    r"«[^»]{3,200}»|``[^`']{3,200}''"
)
_REPORTS = re.compile(
    r"\b(?:attack\w*|inject\w*|adversar\w*|jailbreak\w*|malicious\w*|vulnerab\w*|hidden (?:text|"
    r"prompts?)|prompt(?:ed|s|ing)?"
    r"|instruct(?:ed|ions?)|"
    r"such as|e\.g\.|phrases?|wording|asked|responded|answered|messages?|embedded|participants|"
    r"chatbots?|users?)\b",
    re.IGNORECASE,
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40,4000}={0,2}(?![A-Za-z0-9+/=])")
_IGNORABLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe0e\ufe0f\ufeff\uffa0\U000e0000-\U000e01ff"
)
"""Code points that show nothing: zero-width, direction marks, variation selectors, tags (Unicode's
Default_Ignorable).
"""
_IGNORABLE_RUN = re.compile(f"[{_IGNORABLE}]+")
_INVISIBLE = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff{_IGNORABLE}]")
_HIDDEN_RUN = 6
"""So many of them one after another are no accident of typesetting."""
_LOOK_ALIKES = str.maketrans(
    "аеорсухіѕјһԁԛԝАЕОРСУХІЅЈНВМТКαονι", "aeopcyxisjhdqwAEOPCYXISJHBMTKaovi"
)


def visible(text: str) -> str:
    """``text`` without characters that show nothing: controls other than line ends and tabs, and
    those that only format.
    """
    return text if text.isascii() and text.isprintable() else _INVISIBLE.sub("", text)


@lru_cache(maxsize=512)
def steering(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences of ``text`` that try to steer a language model, as code points [start, end), in
    order.
    """
    found: list[tuple[int, int]] = [
        (match.start("first" if match["first"] else "later"), match.end())
        for match in _ROLE.finditer(text)
        if not match.group().startswith(("AI:", "SYSTEM:", "HUMAN:"))  # labels of sections
    ]
    found += (
        match.span()
        for match in _IGNORABLE_RUN.finditer(text)
        if match.end() - match.start() >= _HIDDEN_RUN
        or any("\U000e0020" <= sign <= "\U000e007f" for sign in match.group())  # hidden ASCII
    )
    found += _encoded(text)
    read = _as_read(text)
    for form in (read, read.translate(_LOOK_ALIKES)) if not read.isascii() else (read,):
        if _HINT.search(form.lower()):
            quoted = [match.span() for match in _QUOTED.finditer(form)]
            told = [match for match in _STEERS.finditer(form) if not _reported(form, match, quoted)]
            places = _places(text) if told else []
            found += ((places[_first(form, match)], places[match.end() - 1] + 1) for match in told)
    if not found:
        return ()
    spans = sentence_spans(text)
    hit = {place for start, end in found for place in _touched(spans, start, end)}
    return tuple(spans[place] for place in sorted(hit))


def notice(article: Article) -> Notice | None:
    """Return what a reader is told of an article whose title or abstract holds such sentences; None
    where there is none.
    """
    in_title, in_abstract = steering(article.title), steering(article.abstract)
    if not in_title and not in_abstract:
        return None
    where = " and ".join(
        filter(None, ("title" if in_title else "", "abstract" if in_abstract else ""))
    )
    count = len(in_title) + len(in_abstract)
    sentences, are = ("a sentence", "is") if count == 1 else (f"{count} sentences", "are")
    told = (
        f"Its {where} hold{'' if ' and ' in where else 's'} {sentences} addressed to a language "
        f"model, which {are} treated as "
        "quoted text and never as an instruction."
    )
    return Notice(article.id, "text addressed to a language model", told, "the abstract")


def _as_read(text: str) -> str:
    """The text with invisible characters dropped, letters folded and white space single."""
    return " ".join(_ODD_SIGN.sub(_folded, text).split())


_ODD_SIGN = re.compile(r"[^ -~\n\t\r]")


def _folded(match: re.Match[str]) -> str:
    """A sign that is not plain: its compatible form where that is one sign, nothing where it shows
    nothing.
    """
    sign = match.group()
    form = sign if sign.isascii() or len(form := unicodedata.normalize("NFKC", sign)) != 1 else form
    return form if form.isspace() else visible(form)


def _places(text: str) -> list[int]:
    """For each character that `_as_read` keeps, and for each single space, its place in
    ``text``.
    """
    places: list[int] = []
    gap: int | None = None
    for place, sign in enumerate(text):
        if sign.isspace() or unicodedata.normalize("NFKC", sign).isspace():
            gap = place if gap is None else gap
        elif visible(sign):
            if gap is not None and places:
                places.append(gap)
            gap = None
            places.append(place)
    return places


def _first(text: str, match: re.Match[str]) -> int:
    """Return where the steering words begin: after the mark or space that a pattern looks behind
    for.
    """
    start = match.start()
    while start < match.end() - 1 and (text[start] in '.!?:;"“”)]>—- '):
        start += 1
    return start


def _reported(text: str, match: re.Match[str], quoted: list[tuple[int, int]]) -> bool:
    """Return whether the words stand in quotation marks within a sentence that tells of such
    words.
    """
    start = _first(text, match)
    for opening, closing in quoted:
        if opening <= start and match.end() <= closing + 1:
            around = (
                text[max(0, opening - 160) : opening].rpartition(". ")[2]
                + " "
                + text[closing : closing + 120].partition(". ")[0]
            )
            return _REPORTS.search(around) is not None
    return False


def _encoded(text: str) -> list[tuple[int, int]]:
    """Blocks that decode from base64 to readable text."""
    found = []
    for match in _BASE64.finditer(text):
        block = match.group().rstrip("=")
        if block in (block.lower(), block.upper()) or re.search(r"[aeiou][a-z]{12}", block):
            continue
        try:
            plain = base64.b64decode(block[: len(block) // 4 * 4], validate=True)
        except (binascii.Error, ValueError):
            continue
        if sum(32 <= byte < 127 for byte in plain) > 0.95 * len(plain) and b" " in plain:
            found.append(match.span())
    return found


def _touched(spans: list[tuple[int, int]], start: int, end: int) -> range:
    """The places of the sentences that [start, end) lies in; the nearest one where it lies between
    two.
    """
    starts = [one for one, _ in spans]
    first = max(0, bisect_right(starts, start) - 1)
    if first + 1 < len(spans) and spans[first][1] <= start:
        first += 1
    last = max(first, bisect_right(starts, end - 1) - 1)
    return range(first, last + 1) if spans else range(0)
