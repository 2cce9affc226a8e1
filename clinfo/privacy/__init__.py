"""What identifies a patient."""
