"""What a load of experts comes to in a fleet's pools."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.hardware import Profile


def load_words(profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Return what the load of each kind of replica comes to; nothing where none is said."""
    told = dict.fromkeys((one.name, one.expert_load) for one in profiles if one.expert_load)
    return tuple(f"experts on {name}: {load}" for name, load in told)
