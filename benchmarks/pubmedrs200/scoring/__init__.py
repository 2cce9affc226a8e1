"""Predictions and runs into rows of scores, with means, intervals and tests of difference."""
