"""What is shown of an answer, as values: text, Markdown, page and live page put them on paper, each
in its way.
"""
