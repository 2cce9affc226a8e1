"""The web app: a public form, a page for each run, an HTTP API, and the workers that carry runs
out.
"""
