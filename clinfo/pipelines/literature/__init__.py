"""From a question to a cited synthesis of the literature: Clinfo.ai (Lozano et al., PSB 2024) and
beyond.
"""
