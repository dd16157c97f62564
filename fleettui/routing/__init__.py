"""Routers: light data and one rule each."""
