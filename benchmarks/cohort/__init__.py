"""What is right of the cohort pipeline's sets."""
