"""Which patients: criteria in words and many records → the set of those who match, with the
sentence behind each criterion (Mendel AI's neuro-symbolic system, 2024).
"""
