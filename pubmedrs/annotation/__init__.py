"""Two people's judgement of candidate questions and answers: sheets out, sheets in, agreement,
adjudication.
"""
