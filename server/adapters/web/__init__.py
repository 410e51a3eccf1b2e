"""The web for answers: a search service and the pages that it finds, at public addresses only."""
