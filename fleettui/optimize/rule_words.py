"""What an engine does where nobody sets anything, in the words of the reason that says how it is set."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.domain.engine_settings import MemoryOf
from fleettui.domain.hardware import Profile
from fleettui.domain.scenario import Question
from fleettui.hardware import catalog

OF: dict[MemoryOf, str] = {"all": "memory", "static": "memory but for activations", "free": "free memory"}
"""What an engine's share of the memory is a share of."""


def memory_words(profile: Profile) -> str:
    """Return the share of a GPU's memory that the engine takes."""
    return f"{profile.room.share:.0%} of {OF[profile.room.of]}"


def rule_words(question: Question) -> Iterator[str]:
    """Yield what the engine does with prefixes when nobody says so.

    Answers count the hits of prefixes that a question says, whatever the engine does.
    """
    rules = catalog.engine(question.engine).rules
    kept = "prefixes kept" if rules.cache.prefix_caching else "no prefixes kept"
    counted = bool(question.prefix_hit or question.prefix_cache)
    yield kept if counted or not rules.cache.prefix_caching else f"{kept}, no hits counted"
