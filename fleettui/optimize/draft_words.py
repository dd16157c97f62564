"""What drafts come to in a fleet's pools."""

from __future__ import annotations

from collections.abc import Sequence

from fleettui.domain.hardware import Profile


def draft_words(profiles: Sequence[Profile]) -> tuple[str, ...]:
    """Return what the drafts of each kind of replica come to; nothing where none are made."""
    told = dict.fromkeys((one.name, one.drafts) for one in profiles if one.drafts)
    return tuple(f"drafts on {name}: {'; '.join(drafts)}" for name, drafts in told)
