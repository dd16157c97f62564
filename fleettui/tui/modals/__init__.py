"""Screens above the views: each asks one thing or shows one text, and leaves with escape."""
