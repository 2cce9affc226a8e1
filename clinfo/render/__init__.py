"""An answer as something to read: `page` says what stands where, `text` and `markdown` write it
down.
"""
