"""What a catalogue file says of some GPUs alone: entries that name theirs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar


class OfGpus(Protocol):
    """An entry of a catalogue file that holds for the GPUs it names."""

    @property
    def gpus(self) -> tuple[str, ...]:
        """Names of GPUs."""


Entry = TypeVar("Entry", bound=OfGpus)


def entry_for(gpu: str, entries: Iterable[Entry]) -> Entry | None:
    """Return the first of `entries` that holds for a GPU, None where none does."""
    return next((one for one in entries if gpu in one.gpus), None)
