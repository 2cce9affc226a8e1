"""Is a sentence supported by the articles it cites?

`verify` judges by rules, `learned` by an entailment model, `model_judge` by a language model;
`judging` says who reads which text, `joining` makes one verdict of several opinions.
"""
