"""The published protocol (Lozano and others 2024, section 2.1 and Figure 1): from PubMed to
candidate questions and answers.

plan        specialties and subspecialties with their search words (`pubmedrs/specialties.toml`),
            one search for systematic reviews a topic, and the limits of a build
screening   the question that a title holds, the parts of a labelled abstract, and what is not a
            question with an answer, and why
citing      the review's references, from its record, ELink and the full text in PMC
asking      E-utilities, each answer kept on disk
finished    the files that come of it, with the flow of the build
pipeline    all of it, in resumable steps
"""
