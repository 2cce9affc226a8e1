"""The pages on which a question is asked."""
