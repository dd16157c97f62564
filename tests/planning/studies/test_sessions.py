"""Sessions of agents on a small kept plan's fleet, under its scheduler and another."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.agents import HEAVY, SHORT, written
from fleettui.errors import InputError
from fleettui.planning.simulate import simulate
from fleettui.planning.studies import asked, commands
from fleettui.planning.studies.study_context import make
from store import Store
from tests.planning.simulated import Watched, question, sketch, trace

SMALL = {"sessions": "40", "short": "600/20,200/10", "long": "3000/20,500/10,200/10"}


def typed(**words: str) -> dict[str, Any]:
    return asked(commands()["sessions"], {"plan": "last", **words})[1]


@pytest.mark.thorough
async def test_schedulers_meet_the_same_sessions(store: Store, workers: Watched, tmp_path: Path) -> None:
    plan = await simulate(sketch(2), question(trace(tmp_path), verify=False), store=store, pool=workers)
    said = typed(only="shortest", heavy="20%", rate="5/s", tool="20ms", **SMALL)
    study = await make("sessions", store, pool=workers, **said)
    assert (study.kind, study.plan, store.study(study.handle)) == ("sessions", plan.plan.id, study)
    assert study.question.endswith(
        "--only shortest --rate 5/s --heavy 20% --sessions 40 --tool 20ms --short 600/20,200/10 "
        "--long 3000/20,500/10,200/10"
    )
    rows = {str(row["scheduler"]): row for row in study.tables[1].records()}
    assert list(rows) == ["paged", "shortest"]
    own = float(str(rows["paged"]["attft"]))
    assert 0.02 < own < 5.0
    hidden = [float(str(row["hidden"])) for row in study.tables[-1].records()]
    assert hidden[0] == pytest.approx(hidden[1], rel=0.2)


@pytest.mark.thorough
async def test_what_such_sessions_cannot_be_served_by_is_refused(
    store: Store, workers: Watched, tmp_path: Path
) -> None:
    short = question(trace(tmp_path), verify=False)
    await simulate(sketch(1, 2), short, store=store, pool=workers)
    with pytest.raises(InputError, match="pass from pool to pool"):
        await make("sessions", store, pool=workers, **typed())
    await simulate(replace(sketch(2), admission="reserved"), short, store=store, pool=workers)
    with pytest.raises(InputError, match="keeps blocks for whole contexts"):
        await make("sessions", store, pool=workers, **typed())
    await simulate(sketch(2), short, store=store, pool=workers)
    with pytest.raises(InputError, match="--long: a session's last round holds more tokens"):
        await make("sessions", store, pool=workers, **typed(long="120000/96,60000/96"))


async def test_what_is_typed_is_read() -> None:
    found = typed(load="110%", heavy="0.2", only="mlfq")
    assert found == {"plan": "last", "only": ("mlfq",), "load": 1.1, "share": 0.2}
    with pytest.raises(InputError, match="--load"):
        typed(load="300%")
    with pytest.raises(InputError, match="--only"):
        typed(only="nobody")


async def test_the_help_names_the_templates_as_they_are() -> None:
    examples = commands()["sessions"].examples
    assert f"{written(SHORT)} (short)" in examples
    assert f"{written(HEAVY)} (heavy)" in examples
