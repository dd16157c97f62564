"""What the tab key makes of a line: its last word completed, as far as only one thing can be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fleettui.domain.limit import ALWAYS, METRICS
from fleettui.domain.scenario import DTYPE_CHOICES
from fleettui.errors import InputError
from fleettui.user_paths import path_of

LAST = re.compile(r"[^\s,+=]*$")
"""The word at the end of a line; a blank in a path ends it, as it does in a list of paths."""
SHOWN = 12
"""Words that are told where several are meant."""


@dataclass(frozen=True, slots=True)
class Completed:
    """A line after the tab key, and what its last word may still be."""

    text: str
    others: tuple[str, ...] = ()

    @property
    def told(self) -> str:
        """The words that are still meant, in one line."""
        more = f"  and {len(self.others) - SHOWN} more" if len(self.others) > SHOWN else ""
        return "  ".join(self.others[:SHOWN]) + more


def complete(line: str, words: Iterable[str] = (), *, files: bool = True) -> Completed | None:
    """Return the line with its last word completed from `words` and the names of files; None where nothing is to be.

    >>> complete("h100,a1", ("a10g", "a100", "h100"), files=False)
    Completed(text='h100,a10', others=('a100', 'a10g'))
    >>> complete("llama-3.1-70", ("llama-3.1-70b",), files=False).text
    'llama-3.1-70b'
    >>> complete("h100", ("h100",), files=False) is None
    True
    """
    found = LAST.search(line)
    typed = found[0] if found else ""
    known = {word for word in words if word.lower().startswith(typed.lower())}
    if files and typed:
        known |= set(paths(typed))
    if not known or typed in known:
        return None
    common = _common([word.lower() for word in known])
    one = next(iter(known)) if len(known) == 1 else ""
    written = one or (common if len(common) > len(typed) else typed)
    return Completed(line[: len(line) - len(typed)] + written, () if one else tuple(sorted(known)))


def paths(typed: str) -> list[str]:
    """Return the files and folders whose paths begin with what is typed, a folder with a stroke at its end."""
    folder, _, begin = typed.rpartition("/")
    try:
        place = path_of(folder or ("/" if typed.startswith("/") else "."))
        found = sorted(place.iterdir())
    except (OSError, InputError):
        return []
    lead = f"{folder}/" if "/" in typed else ""
    return [
        f"{lead}{one.name}{'/' if one.is_dir() else ''}"
        for one in found
        if one.name.startswith(begin) and (begin.startswith(".") or not one.name.startswith("."))
    ]


def _common(words: Sequence[str]) -> str:
    """Return what all words begin with."""
    first, last = min(words), max(words)
    return first[: next((place for place, one in enumerate(first) if not last.startswith(first[: place + 1])), None)]


def words_of(line: str) -> tuple[str, ...]:
    """Return the words that may stand in a line of a new question, by the line's name; none beyond files elsewhere."""
    from fleettui.hardware import catalog
    from fleettui.planning import workloads

    if line in ("lengths", "workload"):
        return (*workloads.names(), *(("prompt", "output", "hit") if line == "lengths" else ()))
    if line == "model":
        return (*catalog.model_names(), *catalog.model_aliases(), *DTYPE_CHOICES, "kv", "tp", "pp", "ep")
    if line in ("gpus", "fleet"):
        return (*catalog.gpu_names(), *(("any", "all", "stock") if line == "gpus" else ("tp", "to")))
    return {"demand": DEMAND, "slo": SLO}.get(line, ())


def words_of_keys(keys: Iterable[str], typed: str) -> tuple[str, ...]:
    """Return the words that may end what is `typed` in a line of `keys`: one of them, or a GPU behind its sign."""
    from fleettui.hardware import catalog
    from fleettui.reports.question.also_line import SETS

    *_, last = typed.split(" ")
    return catalog.gpu_names() if SETS in last else tuple(f"{name}{SETS}" for name in keys)


DEMAND = ("users", "tokens/day", "peak", "clients", "think", "recorded")
SLO = (*(one.label for one in ALWAYS), "P99", "P95", *(f"{name}.p50" for name in METRICS.names))
