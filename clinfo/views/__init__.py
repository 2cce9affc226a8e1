"""The parts of an answer that are shown, as values: text, Markdown, page and live page put them on
paper, each in its way.
"""
