"""A pool that simulates some replications of known plans and recalls the others from a file."""

from __future__ import annotations

import gzip
import hashlib
import json
from contextlib import nullcontext
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from fleettui.domain.scenario import Question
from fleettui.domain.serialization import to_wire
from fleettui.domain.simulation import LOOK
from fleettui.planning.worker_process import Report
from tests.planning.simulated import Here


class Recalling(Here):
    """Simulates each fleet's short look and the replication called `index`; the others came to what `file` has of them.

    What is simulated is held to the file, so runs are of the program's own length. Without a file all are simulated;
    `keep` writes them.
    """

    runs = nullcontext

    def __init__(self, file: Path | None, index: int = 0) -> None:
        super().__init__()
        self.kept: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes())) if file else {}
        self.index = index
        self.simulated: dict[str, Any] = {}

    async def run_plain(self, name: str, payload: dict[str, Any], report: Report | None = None) -> Any:
        """Run the task, or recall the replication."""
        if name != "verification-replicate":
            return await super().run_plain(name, payload, report)
        key = _asked_for(payload)
        if key in self.kept and payload["index"] not in (LOOK, self.index):
            return self.kept[key]
        found = self.simulated[key] = await super().run_plain(name, payload, report)
        assert key not in self.kept or _figures(found) == _figures(self.kept[key]), (
            "a replication is another; where that is meant, write them anew"
        )
        return found

    def keep(self, file: Path) -> None:
        """Write what was simulated."""
        file.write_bytes(gzip.compress(json.dumps(self.simulated).encode(), mtime=0))


def rounded(plain: Any, without: tuple[str, ...] = ()) -> Any:
    """Return plain values without some keys, numbers to six digits, on which alone machines agree."""
    if isinstance(plain, dict):
        return {key: rounded(value, without) for key, value in plain.items() if key not in without}
    if isinstance(plain, list):
        return [rounded(value, without) for value in plain]
    return float(f"{plain:.6g}") if isinstance(plain, float) else plain


def _asked_for(payload: dict[str, Any]) -> str:
    """Return the digest of what a replication follows from, without what is not set: keys and fields come later."""
    source = {name: value for name, value in payload["source"].items() if name != "key"}
    texts = {name: json.loads(source[name]) for name in ("workload", "profiles")}
    usual = {one.name: to_wire(one.default) for one in fields(Question) if one.default is not MISSING}
    question = {name: value for name, value in source["question"].items() if value != usual.get(name)}
    asked = _set({**payload, "source": {**source, **texts, "question": question}})
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def _set(plain: Any) -> Any:
    """Return plain values without those that say nothing."""
    if isinstance(plain, dict):
        told = {name: _set(value) for name, value in plain.items()}
        return {name: value for name, value in told.items() if value or (value == 0 and value is not False)}
    return [_set(value) for value in plain] if isinstance(plain, list) else plain


def _figures(replication: dict[str, Any]) -> Any:
    """Return the figures of a replication's pools."""
    return rounded(replication["pools"], without=("histograms",))
