"""Vocabularies of medicine: MeSH as loaded on this machine or as it comes with the program, and
classes of drugs.
"""
