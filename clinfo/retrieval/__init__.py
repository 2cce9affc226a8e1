"""Long texts made findable: documents, their passages, and what searches them."""
