"""The published protocol (Lozano and others 2024, section 2.1 and Figure 1): from PubMed to
candidate questions and answers.

topics      specialties and subspecialties with their search words (`pubmedrs/specialties.toml`)
queries     one search for systematic reviews a topic
titles      the question that a title holds
sections    introduction, methods, results and conclusion of a labelled abstract
screening   what is not a question with an answer, and why
answering   the candidate answer: results and conclusion without sentences about the review itself
citing      the review's references, from its record, ELink and the full text in PMC
measuring   the rules of `answering` held against the annotators' answers
asking      E-utilities, each answer kept on disk
finished    the files that come of it
pipeline    all of it, in resumable steps
"""
