"""PubMed as a language, a format, an index and a server.

- Language: `query` parses (`lexer`, `terms`, `tree`, `fields`), `printing` writes back, `clean` and
  `repairs` mend what a model wrote, `headings` checks MeSH terms, `strategy` reads numbered lines,
  `remarks` says what is odd.
- Meaning: `translate` makes a `plan` of a query as PubMed's automatic term mapping does (`mapping`,
  `filters`, `subheadings`, `stores`, `date_terms`).
- Format: `xml` reads citations (`cutting` finds the records, `nlm_form` and `elements` read them)
  into `citation`, and `document` sorts one into what can be searched.
- Engines: `held` answers plans in memory (`ranking`, `keywords`), `index` on disk; `search` asks
  either.
- Server: `eutils` answers as NCBI's E-utilities do, over an index.
"""
