"""Use cases: the only place where engines and store meet."""
