"""What every SVG picture here is drawn with: colours, lines and words."""

from __future__ import annotations

from html import escape

INK, MUTED, RULE, PAPER, LIMIT = "#1b1f24", "#4a525c", "#d5dae1", "#ffffff", "#a4001a"
COLOURS = ("#5b6b7d", "#8a5a00", "#0b5cad", "#0b6330", "#6b2fa0")
"""A series' colour by its place; the shape of its marks tells it apart, too."""


def line(x1: float, y1: float, x2: float, y2: float, colour: str, *, dashes: str = "") -> str:
    """Return a straight line."""
    more = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{more}/>'


def text(x: float, y: float, words: str, *, anchor: str = "start", colour: str = INK, size: int = 12) -> str:
    """Return words that begin, end or have their middle at x, on the line y."""
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {where} fill="{colour}" font-size="{size}">{escape(words)}</text>'
