"""Findings as studies: their tables in SI units, and the answer in words."""
