"""A Grafana dashboard: what is watched of each pool, with the plan's figure as a line across it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fleettui.reports.handoff import texts
from fleettui.reports.handoff.alerts import Rule, rules
from fleettui.reports.handoff.model import Format, HandoffFile, PoolPlan, Subject

WIDTH, HEIGHT, ACROSS = 8, 7, 3
"""Of a panel, in the 24 columns of a dashboard, and how many stand in a row."""
SOURCE = {"type": "prometheus", "uid": "${source}"}


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    panels = [
        (part, query, watched) for part in subject.pools for query, watched in _by_query(rules(subject, part)).items()
    ]
    content = {
        "title": f"fleettui plan {subject.handle}",
        "uid": f"fleettui-{subject.handle}",
        "description": "\n".join(texts.head(subject)),
        "tags": ["fleettui", subject.handle],
        "schemaVersion": 39,
        "time": {"from": "now-6h", "to": "now"},
        "refresh": "1m",
        "templating": {
            "list": [{"name": "source", "label": "Prometheus", "type": "datasource", "query": "prometheus"}]
        },
        "panels": list(_panels(panels)),
    }
    text = json.dumps(content, indent=1, allow_nan=False) + "\n"
    return (HandoffFile(name="dashboard.json", about="a dashboard for Grafana", text=text),)


def _by_query(watched: tuple[Rule, ...]) -> dict[str, list[Rule]]:
    """Return the rules of each query, in order."""
    found: dict[str, list[Rule]] = {}
    for one in watched:
        found.setdefault(one.query, []).append(one)
    return found


def _panels(panels: list[tuple[PoolPlan, str, list[Rule]]]) -> Iterator[dict[str, Any]]:
    for place, (part, query, watched) in enumerate(panels):
        row, column = divmod(place, ACROSS)
        lines = sorted({one.above for one in watched})
        yield {
            "id": place + 1,
            "type": "timeseries",
            "title": f"{part.slug}: {watched[0].title}",
            "description": "; ".join(f"{one.severity}: {one.summary}" for one in watched),
            "datasource": SOURCE,
            "gridPos": {"x": WIDTH * column, "y": HEIGHT * row, "w": WIDTH, "h": HEIGHT},
            "targets": [{"refId": "A", "expr": query, "datasource": SOURCE}],
            "fieldConfig": {
                "defaults": {
                    "unit": watched[0].unit,
                    "min": 0,
                    "thresholds": {
                        "mode": "absolute",
                        "steps": [{"color": "green", "value": None}, *_steps(lines, falls=watched[0].falls)],
                    },
                    "custom": {"thresholdsStyle": {"mode": "line"}},
                },
                "overrides": [],
            },
        }


def _steps(lines: list[float], *, falls: bool) -> list[dict[str, Any]]:
    """Return the plan's figures as lines: the last is the worst, but for what must not fall below it."""
    colours = ["green"] if falls else [*["orange"] * (len(lines) - 1), "red"]
    return [{"color": colour, "value": line} for colour, line in zip(colours, lines, strict=True)]


FORMAT = Format(name="dashboard", help="the same figures as a Grafana dashboard", write=_write)
