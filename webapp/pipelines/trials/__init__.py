"""The page of the trials pipeline: papers in, what each study concludes out."""
