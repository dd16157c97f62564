"""Queueing and batching formulas, each citing its source."""
