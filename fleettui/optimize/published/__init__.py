"""The papers' published tables, cell by cell: what is printed, what their method gives, what ours says."""
