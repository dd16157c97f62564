"""Settings that stand before the command, for this run alone: they win over the environment and the file."""

from __future__ import annotations

TYPED: dict[str, str] = {}
"""Texts by the setting's name."""


def say(name: str, text: str | None) -> None:
    """Let a setting have this text from now on; None: no other than it has elsewhere."""
    TYPED.pop(name, None)
    if text is not None:
        TYPED[name] = text
