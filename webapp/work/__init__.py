"""What carries runs out: the worker, what wakes it, what it may be told in secret, what it clears away."""
