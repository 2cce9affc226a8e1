"""Languages: NLM's three-letter codes (those of MARC) with their English names, and the one that a
question is written in, by its commonest words.
"""

import re
import unicodedata
from collections import Counter

ENGLISH_NAMES = {
    "afr": "Afrikaans",
    "alb": "Albanian",
    "amh": "Amharic",
    "ara": "Arabic",
    "arm": "Armenian",
    "aze": "Azerbaijani",
    "baq": "Basque",
    "bel": "Belarusian",
    "ben": "Bengali",
    "bos": "Bosnian",
    "bul": "Bulgarian",
    "cat": "Catalan",
    "chi": "Chinese",
    "cze": "Czech",
    "dan": "Danish",
    "dut": "Dutch",
    "eng": "English",
    "epo": "Esperanto",
    "est": "Estonian",
    "fin": "Finnish",
    "fre": "French",
    "geo": "Georgian",
    "ger": "German",
    "gla": "Scottish Gaelic",
    "gle": "Irish",
    "glg": "Galician",
    "gre": "Greek, Modern",
    "heb": "Hebrew",
    "hin": "Hindi",
    "hrv": "Croatian",
    "hun": "Hungarian",
    "ice": "Icelandic",
    "ind": "Indonesian",
    "ita": "Italian",
    "jpn": "Japanese",
    "kaz": "Kazakh",
    "kin": "Kinyarwanda",
    "kir": "Kyrgyz",
    "kor": "Korean",
    "lat": "Latin",
    "lav": "Latvian",
    "lit": "Lithuanian",
    "mac": "Macedonian",
    "mal": "Malayalam",
    "mao": "Maori",
    "may": "Malay",
    "mon": "Mongolian",
    "mul": "Multiple languages",
    "nor": "Norwegian",
    "per": "Persian",
    "pol": "Polish",
    "por": "Portuguese",
    "pus": "Pushto",
    "rum": "Romanian",
    "rus": "Russian",
    "san": "Sanskrit",
    "scc": "Serbian",
    "scr": "Croatian",
    "slo": "Slovak",
    "slv": "Slovenian",
    "som": "Somali",
    "spa": "Spanish",
    "srp": "Serbian",
    "swa": "Swahili",
    "swe": "Swedish",
    "tgl": "Tagalog",
    "tha": "Thai",
    "tur": "Turkish",
    "ukr": "Ukrainian",
    "und": "Undetermined",
    "urd": "Urdu",
    "uzb": "Uzbek",
    "vie": "Vietnamese",
    "wel": "Welsh",
}

_ISO = """
afr=af alb=sq amh=am ara=ar arm=hy aze=az baq=eu bel=be ben=bn bos=bs bul=bg cat=ca chi=zh cze=cs
dan=da dut=nl eng=en epo=eo est=et fin=fi fre=fr geo=ka ger=de gla=gd gle=ga glg=gl gre=el heb=he
hin=hi hrv=hr hun=hu ice=is ind=id ita=it jpn=ja kaz=kk kin=rw kir=ky kor=ko lat=la lav=lv lit=lt
mac=mk mal=ml mao=mi may=ms mon=mn nor=no per=fa pol=pl por=pt pus=ps rum=ro rus=ru san=sa scc=sr
scr=hr slo=sk slv=sl som=so spa=es srp=sr swa=sw swe=sv tgl=tl tha=th tur=tr ukr=uk urd=ur uzb=uz
vie=vi wel=cy
"""
TWO_LETTERS = dict(pair.split("=") for pair in _ISO.split())
"""The codes of ISO 639-1, which reference managers expect. Several languages at once, and those
that are not known, have none."""

_COMMON = {
    "eng": "a an as the of and to in is does do are for with or can what which how on by from",
    "spa": "el la los las de en que es y para con por una un del qué cuál cómo está son reduce",
    "fre": "le la les il elle des de et est que pour avec dans une un du sur quel quelle sont par",
    "ger": "der die das und ist bei mit für von zu den dem ein eine im wie welche hilft oder nicht",
    "ita": "il lo la gli le di che è per con una un del della nel sono quale come riduce",
    "por": "os da que é para com uma um na em são qual como dos reduz pressão não ou",
    "dut": "de het een en van is bij met voor op te wat welke hoe helpt of niet zijn door",
    "pol": "w na i z do jest czy u przez po od jak jaki dla się nie",
    "swe": "och i att är en ett på för med av vid hur vilken hjälper eller inte",
    "tur": "ve bir için mi mı ile olan hangi nasıl bu da de ne mu mü",
}
_CODES = {name.lower(): code for code, name in ENGLISH_NAMES.items()} | {
    two: code for code, two in TWO_LETTERS.items()
}


def code_of(language: str) -> str:
    """NLM's code of a language that stands as English name, two letters or a region's ("en-GB");
    anything else as it is.
    """
    name = language.strip().lower()
    return _CODES.get(name, _CODES.get(re.split("[-_]", name)[0], language))


_SCRIPTS = (
    *("CYRILLIC", "GREEK", "ARABIC", "HEBREW", "CJK", "HIRAGANA", "KATAKANA", "HANGUL"),
    *("DEVANAGARI", "BENGALI", "THAI", "TAMIL"),
)


def other_language(text: str) -> str:
    """The language or the script that a question is written in, as a name; "" where that is English
    or cannot be told: its commonest words decide, and two of them at least.
    """
    letters = [unicodedata.name(one, "").split(" ")[0] for one in text if one.isalpha()]
    script, count = Counter(letters).most_common(1)[0] if letters else ("", 0)
    if script in _SCRIPTS and count * 2 > len(letters):
        return "Chinese or Japanese" if script == "CJK" else f"{script.capitalize()} script"
    words = Counter(re.findall(r"[^\W\d_]+", text.lower()))
    held = {code: sum(words[one] for one in own.split()) for code, own in _COMMON.items()}
    most = max(held.values())
    best = [ENGLISH_NAMES[code] for code, count in held.items() if count == most]
    if most < 2 or held["eng"] == most:
        return ""
    return best[0] if len(best) == 1 else "another language than English"
