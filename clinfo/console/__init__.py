"""What commands write to a terminal or a pipe, and how they complain."""
