"""Whether a pool of a fleet takes as many replicas as it has: by its load, or by what one fewer was seen to do."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.plan import Candidate


def takes_all(one: Candidate, seen: Sequence[Candidate], most_busy: float) -> bool:
    """Return whether no pool of a fleet does with one replica fewer, by what was `seen` of its make at its rate.

    Busier than `most_busy` none may be. What runs left open with fewer may do.
    """
    return all(_is_needed(one, place, seen, most_busy) for place in range(len(one.pools)))


def _is_needed(one: Candidate, place: int, seen: Sequence[Candidate], most_busy: float) -> bool:
    size = one.fleet.pools[place].replicas
    if size == 1 or one.pools[place].utilization * size > most_busy * (size - 1):
        return True
    fewer = (other for other in seen if other.evidence and other.fleet.pools[place].replicas == size - 1)
    return any(other.evidence is not None and other.evidence.pools[place].verdict == "fail" for other in fewer)
