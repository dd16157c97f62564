"""The pictures of README, drawn from a seeded store: `python -m tests.screenshots.test_pictures` draws them anew."""

import asyncio
import io
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from fleettui.domain.demand import Demand
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.make_plan import make_plan
from fleettui.reports.plan_text import plan_text
from fleettui.reports.plans_table import plans_table
from fleettui.reports.table import render
from store import Store
from tests.planning.recalled import Recalling
from tests.repeated import few

FOLDER = Path(__file__).parents[2] / "screenshots"
REPLICATIONS = Path(__file__).with_name("plan_replications.json.gz")
"""What each replication of the plan in the first picture came to when it was drawn."""
WIDTH = 80
QUESTION = Question(
    workload="azure-2023-conv",
    demand=Demand(form="rate", rate=100.0),
    slo=Slo(ttft=0.5),
    gpus=("h100",),
    tp=(8,),
    step_law="kernels",
)


def seeded(folder: Path, minute: int = 0) -> Store:
    """Return a store whose times and ids are the same at every run: its clock stands still."""
    moment = datetime.fromtimestamp(1_790_000_000 + 60 * minute, UTC)
    return Store.open(folder / "plans.db", clock=lambda: moment, entropy=lambda: 12_345)


def draw(text: str, title: str) -> str:
    """Return `text` as an SVG of a terminal."""
    console = Console(width=WIDTH, record=True, file=io.StringIO(), force_terminal=True, legacy_windows=False)
    console.print(Text(text), highlight=False)
    svg = console.export_svg(title=title, unique_id="fleettui")
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"


def plan_picture(folder: Path, pool: Recalling) -> str:
    with seeded(folder) as store:
        answer = asyncio.run(make_plan(QUESTION, store=store, pool=pool))
        return draw(plan_text(answer, QUESTION, WIDTH), "fleettui plan azure-2023-conv --rate 100/s --slo-ttft 500ms")


def list_picture(folder: Path, pool: Recalling) -> str:
    for minute, (rate, name) in enumerate(((60.0, "spring"), (100.0, "summer"), (140.0, "with the new client"))):
        asked = replace(QUESTION, demand=Demand(form="rate", rate=rate), name=name)
        with seeded(folder, minute) as store:
            asyncio.run(make_plan(asked, store=store, pool=pool))
    with seeded(folder) as store:
        return draw(render(plans_table(store.plans()), WIDTH), "fleettui list")


PICTURES: dict[str, Callable[[Path, Recalling], str]] = {"plan": plan_picture, "list": list_picture}


@pytest.mark.looks
@pytest.mark.parametrize("name", few(PICTURES, 0, more=1))
def test_a_picture_is_what_the_program_prints_today(name: str, tmp_path: Path) -> None:
    assert PICTURES[name](tmp_path, Recalling(REPLICATIONS)) == (FOLDER / f"{name}.svg").read_text(encoding="utf-8")


if __name__ == "__main__":
    for picture, drawn in PICTURES.items():
        every = Recalling(None)
        with tempfile.TemporaryDirectory() as place:
            (FOLDER / f"{picture}.svg").write_text(drawn(Path(place), every), encoding="utf-8")
        if drawn is plan_picture:
            every.keep(REPLICATIONS)
