"""Search and evaluation of fleets by formula."""
