"""NLM's three-letter codes of languages (those of MARC) and their English names."""

from __future__ import annotations

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
