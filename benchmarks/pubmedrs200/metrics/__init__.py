"""The text metrics of the benchmark: each an `evaluate` module in a folder of its own, with what it
says of itself.
"""
