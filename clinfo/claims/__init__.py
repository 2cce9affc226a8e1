"""Is a sentence supported by the articles it cites?

`learned` judges by an entailment model, `model_judge` by a language model;
`judging` says who reads which text, `joining` makes one verdict of several opinions.
"""

from clinfo import doors

__getattr__ = doors.opened(__name__, __file__)
