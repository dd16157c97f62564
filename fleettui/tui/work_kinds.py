"""Kinds of work that the screen treats in ways of their own."""

FOLLOW = "follow"
"""The kind of a task that looks at what another process does."""
STUDY = "study"
"""The kind of a task that comes to no plan: what it finds is for whoever waits for it."""
