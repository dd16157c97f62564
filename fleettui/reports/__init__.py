"""Stored facts as tables and text."""
