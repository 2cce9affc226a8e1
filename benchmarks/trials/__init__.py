"""What `clinfo trials` is measured by: passages, conclusions and numbers of real papers."""
