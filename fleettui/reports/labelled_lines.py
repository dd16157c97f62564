"""Lines of `label  text` under a head: how one thing, rather than a list of them, is shown."""

from __future__ import annotations

from collections.abc import Iterable

from fleettui.domain.hardware import Citation
from fleettui.reports.table import WIDTH, wrap


def details(head: str, pairs: Iterable[tuple[str, str]], width: int = WIDTH) -> str:
    """Return `head` and, under it, each label with its text, wrapped; an empty text is left out.

    >>> print(details("h100", [("memory", "80 GB"), ("spare", "")]))
    h100
      memory  80 GB
    """
    kept = [(label, text) for label, text in pairs if text]
    margin = max((len(label) for label, _ in kept), default=0) + 2
    lines = wrap(head, width)
    for label, text in kept:
        lines += wrap(text, width, f"  {label.ljust(margin)}")
    return "\n".join(lines)


def sources(citations: Iterable[Citation]) -> list[tuple[str, str]]:
    """Return one (source, fields) pair of details per source, with the confidence where it is not high."""
    fields: dict[tuple[str, str], list[str]] = {}
    for citation in citations:
        fields.setdefault((citation.source, citation.confidence), []).append(citation.field)
    return [
        ("source", f"{', '.join(names)}: {source}" + ("" if trust == "high" else f" ({trust} confidence)"))
        for (source, trust), names in fields.items()
    ]
