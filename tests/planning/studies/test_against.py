"""A run beside the engine, on a fleet that is given and on a kept plan's."""

import json
from pathlib import Path

import pytest

from fleettui.domain.fleet import FleetSketch
from fleettui.errors import InputError
from fleettui.planning.simulate import simulate
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace


def run_file(tmp_path: Path, longest: int = 400) -> str:
    path = tmp_path / "run.jsonl"
    rows = [
        {"arrival": 0.2 * at, "input_tokens": 50 + at, "output_tokens": 9, "ttft": 0.1, "e2e": 0.9} for at in range(30)
    ]
    rows.append({"arrival": 7.0, "input_tokens": longest, "output_tokens": 1, "ttft": 0.1, "e2e": 0.1})
    path.write_text("\n".join(map(json.dumps, [*rows, {"arrival": 9}])), encoding="utf-8")
    return str(path)


async def test_a_run_is_played_on_a_fleet_that_is_given_and_on_a_plans(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    run = run_file(tmp_path)
    asked = question(run, verify=False)
    given = await make("against", store, pool=workers, sketch=sketch(1), question=asked, run=run)
    assert given.sentences[0].startswith("31 requests in 7.1 s, played on")
    assert given.warnings[0] == "rows left out: 1 without input_tokens"
    await simulate(sketch(1), question(trace(tmp_path), verify=False), store=store, pool=workers)
    planned = await make("against", store, pool=workers, plan="last", run=run)
    assert planned.plan
    assert planned.tables[0] == given.tables[0]


async def test_what_the_fleet_does_not_serve_is_refused(store: Store, workers: Watched, tmp_path: Path) -> None:
    run = run_file(tmp_path, longest=9_000_000)
    short: FleetSketch = sketch(1)
    with pytest.raises(InputError):
        await make("against", store, pool=workers, sketch=short, question=question(run, verify=False), run=run)
