"""The text metrics of the benchmark, each with what it says of itself."""
