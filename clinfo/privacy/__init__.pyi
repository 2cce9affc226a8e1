from clinfo.privacy.phi_guard import identifiers, in_paper, of_request, refuse_texts, without

__all__ = [
    "identifiers",
    "in_paper",
    "of_request",
    "refuse_texts",
    "without",
]
