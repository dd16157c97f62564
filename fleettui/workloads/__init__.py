"""Workload files, length distributions and demand."""
