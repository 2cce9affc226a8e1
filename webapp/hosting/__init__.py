"""What a public site needs around it: headers, limits, logs, errors, probes, the server's settings."""
