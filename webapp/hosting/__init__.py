"""Protection and operation of a public site: headers, limits, logs, errors, probes, the server's
settings.
"""
