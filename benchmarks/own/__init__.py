"""What this project measures itself with."""
