"""Readers of records: tables, lines of JSON, FHIR, plain text. Each fills a `Collection`."""
