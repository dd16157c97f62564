"""Where the app opens: at the last plan, at a plan, at a workload, or at a question."""

from __future__ import annotations

from typing import Literal, NamedTuple

OpeningKind = Literal["last", "plan", "workload", "question"]


class Opening(NamedTuple):
    """What the app shows first.

    `text` is a plan's reference (`plan`), a shipped name or a path (`workload`), the path of a question file
    (`question`), and empty for `last`.
    """

    kind: OpeningKind = "last"
    text: str = ""
