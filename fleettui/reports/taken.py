"""What a row of a study is in a question: the keys that it sets, and what is said of it where it is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A row of a study that can be taken: its words in a list, the texts of the question's keys, and what to know."""

    words: str
    texts: Mapping[str, str]
    told: str = ""
