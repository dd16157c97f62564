"""Widgets of our own: what Textual has not, or has not fast enough."""
