"""Runtime features that a simulated engine may have. A new one: a file, its field of Features and its place below.

Those that came before, graph bins, drafts, memory beside GPUs, are fields of a question itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleettui.domain.features import watermark
from fleettui.domain.features.feature import E, Feature
from fleettui.domain.registry import Registry
from fleettui.domain.serialization import later

if TYPE_CHECKING:
    from fleettui.domain.fleet import Pool


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is said of each feature, as it is written, empty where nothing is. Raises InputError for what is not so."""

    watermark: str = later("")

    def __post_init__(self) -> None:
        for one, said in self.said():
            one.check(said)

    def said(self) -> Iterator[tuple[Feature, str]]:
        """Yield the features of which something is said, with that."""
        return ((one, said) for one in FEATURES if (said := getattr(self, one.field)))

    def engine(self, engine: E, pool: Pool) -> E:
        """Return the engine of a pool with all of them."""
        for one, said in self.said():
            engine = one.rule(engine, said, pool)
        return engine


FEATURES: Registry[Feature] = Registry(
    "runtime feature",
    watermark.FEATURE,
)
