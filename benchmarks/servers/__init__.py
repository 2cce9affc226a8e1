"""Scripted servers over real HTTP: PubMed, Semantic Scholar and language models with faults and
delays.
"""
