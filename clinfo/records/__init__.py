"""The values that flow through a run: articles, queries, judgements, evidence, answers."""
