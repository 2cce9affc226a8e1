"""What the studies say together: evidence table, levels, balance, disagreement, doubts, effects, forest plot."""
