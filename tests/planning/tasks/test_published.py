"""The tasks behind `published`: names, rows, and simulated cells with their slots held."""

from typing import Any

import pytest

from fleettui.domain.progress import Progress
from fleettui.errors import UnknownNameError
from fleettui.optimize.mechanisms import MECHANISMS
from fleettui.optimize.published.cell_questions import Curtailed, Routed, SimulatedPool
from fleettui.optimize.published.tables import TABLES, named
from fleettui.planning.studies.published import BOUND_KEPT, NOT_REPRODUCED
from fleettui.planning.task_context import Context
from fleettui.planning.tasks import published, routed_cells


def cell(title: str, name: str) -> Any:
    return next(cell for cell in named(title).cells if cell.name == name)


def test_titles_of_one_table_or_of_all() -> None:
    assert published.titles(Context(), text="ft2") == ("FO T2",)
    assert len(published.titles(Context(), text=None)) == len(TABLES) + len(MECHANISMS)
    with pytest.raises(UnknownNameError):
        published.titles(Context(), text="FO T9")


def test_a_table_has_a_row_per_cell_and_tells_how_far_it_is() -> None:
    told: list[Progress] = []
    made = published.table(Context(report=told.append), title="FO T2", seed=1)
    assert [column.name for column in made.columns] == ["table", "cell", "printed", "paper", "recommended", "note"]
    assert [row[:3] for row in made.rows] == [("FO T2", one.name, one.printed) for one in named("FO T2").cells]
    assert all(row[-1] for row in made.rows)
    assert [step.done for step in told] == list(range(len(made.rows)))


def test_a_cell_beyond_reproduction_is_named_so() -> None:
    for title, name, expected in (("IFS T2", "homogeneous P99 TTFT s", True), ("IFS T2", "homogeneous GPUs", False)):
        assert cell(title, name).reproduced != expected
    row = published._row("IFS T9", cell("IFS T9", "0% shed P99 TTFT s simulated"), 1)
    assert str(row[-1]).startswith(NOT_REPRODUCED)
    assert row[3] == pytest.approx(0.02592)  # nobody waits: the prefill of six steps alone


def test_slots_held_forty_percent_less_power_is_twenty_seconds_late_within_the_papers_window() -> None:
    asked = Curtailed(shed=0.4, figure="simulated ttft")
    found = published._window(published.methods().paper.held(asked), seed=1)
    assert found.value == pytest.approx(21.0, abs=1.5)
    assert "without bound later" in found.note


@pytest.mark.evidence
def test_slots_held_a_pool_is_as_busy_as_its_load_says() -> None:
    asked = cell("FO T5", "Azure short ρ simulated").asked
    assert isinstance(asked, SimulatedPool)
    held = published.methods().paper.held(asked)
    slots = published._slots(held)
    assert slots.in_service / slots.servers == pytest.approx(0.8597, abs=1e-3)
    found = published._long_runs(held, "utilization", seed=1)
    assert found.value == pytest.approx(slots.in_service / slots.servers, rel=0.005)


def test_a_printed_bound_that_is_kept_is_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "MADE", 4)
    bound, no_bound = (cell("FO T4", f"{name} mean over all requests s") for name in ("Azure", "Agent"))
    row = published._row("FO T4", bound, 1)
    assert str(row[-1]).startswith(BOUND_KEPT)
    assert row[3] == pytest.approx(0.0776 * 0.0018, rel=1e-3)
    assert isinstance(row[4], float)
    assert row[4] > 0.0
    assert not str(published._row("FO T4", no_bound, 1)[-1]).startswith(BOUND_KEPT)


def test_a_fleet_behind_a_router_is_simulated_with_its_slots_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routed_cells, "RUNS", 2)
    monkeypatch.setattr(routed_cells, "MEASURED", 50_000)
    routed_cells._runs.cache_clear()
    paper = published.methods().paper
    busy, late, *why = (one.asked for one in named("IFS 4.2").cells if isinstance(one.asked, Routed))
    found = routed_cells.by_paper(paper, busy, seed=1)
    assert found.value == pytest.approx(0.88, abs=0.02)  # of 24 x 16 slots, where .30 is printed
    assert "24 x 16" in found.note
    assert 0.1 < (routed_cells.by_paper(paper, late, seed=1).value or 0.0) < 1.0  # printed 1.052
    assert all(0.0 < (routed_cells.by_paper(paper, one, seed=1).value or 0.0) < 1.0 for one in why)
    (change, *_) = (one.asked for one in named("DOC 6").cells)
    assert isinstance(change, Routed)
    assert routed_cells.by_paper(paper, change, seed=1).value == pytest.approx(0.0, abs=0.1)  # printed .33
    routed_cells._runs.cache_clear()
