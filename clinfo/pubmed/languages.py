"""NLM's three-letter codes of languages (those of MARC) and their English names."""

from __future__ import annotations

ENGLISH_NAMES = {
    "afr": "Afrikaans", "alb": "Albanian", "amh": "Amharic", "ara": "Arabic", "arm": "Armenian", "aze": "Azerbaijani",
    "baq": "Basque", "bel": "Belarusian", "ben": "Bengali", "bos": "Bosnian", "bul": "Bulgarian", "cat": "Catalan",
    "chi": "Chinese", "cze": "Czech", "dan": "Danish", "dut": "Dutch", "eng": "English", "epo": "Esperanto",
    "est": "Estonian", "fin": "Finnish", "fre": "French", "geo": "Georgian", "ger": "German", "gla": "Scottish Gaelic",
    "gle": "Irish", "glg": "Galician", "gre": "Greek, Modern", "heb": "Hebrew", "hin": "Hindi", "hrv": "Croatian",
    "hun": "Hungarian", "ice": "Icelandic", "ind": "Indonesian", "ita": "Italian", "jpn": "Japanese", "kaz": "Kazakh",
    "kin": "Kinyarwanda", "kir": "Kyrgyz", "kor": "Korean", "lat": "Latin", "lav": "Latvian", "lit": "Lithuanian",
    "mac": "Macedonian", "mal": "Malayalam", "mao": "Maori", "may": "Malay", "mon": "Mongolian", "mul": "Multiple languages",
    "nor": "Norwegian", "per": "Persian", "pol": "Polish", "por": "Portuguese", "pus": "Pushto", "rum": "Romanian",
    "rus": "Russian", "san": "Sanskrit", "scc": "Serbian", "scr": "Croatian", "slo": "Slovak", "slv": "Slovenian",
    "som": "Somali", "spa": "Spanish", "srp": "Serbian", "swa": "Swahili", "swe": "Swedish", "tgl": "Tagalog",
    "tha": "Thai", "tur": "Turkish", "ukr": "Ukrainian", "und": "Undetermined", "urd": "Urdu", "uzb": "Uzbek",
    "vie": "Vietnamese", "wel": "Welsh",
}  # fmt: skip
