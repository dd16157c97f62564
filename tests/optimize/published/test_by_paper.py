"""Preset `paper`'s method gives what the papers print, cell by cell, but for what is named."""

import pytest

from fleettui.optimize.published.by_paper import ByPaper
from fleettui.optimize.published.cell_questions import (
    A100,
    AGENT,
    H100,
    Cell,
    Compressed,
    Curtailed,
    CurtailedFigure,
    Disaggregated,
    OfFleet,
    OneReplica,
    Repaired,
    ReplicaFigure,
    Routed,
    SeparateFigure,
    SimulatedPool,
)
from fleettui.optimize.published.tables import TABLES, named
from fleettui.planning.studies.published import differs
from tests.repeated import few

ROUNDED = 0.012
"""The papers round to two or three digits."""
LEAST = 0.0006
SLOW = {"FO T6", "IFS T4"}
"""Tables whose rows `tests/optimize/test_paper.py` holds to print already."""


def simulated(cell: Cell) -> bool:
    return isinstance(cell.asked, SimulatedPool | Routed) or getattr(cell.asked, "figure", "") == "simulated ttft"


def compressed(cell: Cell) -> bool:
    return isinstance(cell.asked, OfFleet) and cell.asked.also is not None


@pytest.mark.parametrize(
    "title", few([table.title for table in TABLES if table.title not in SLOW], 3, more=len(TABLES))
)
def test_computed_cells_are_as_printed(by_paper: ByPaper, title: str) -> None:
    for cell in named(title).cells:
        measured = isinstance(cell.asked, Compressed) and cell.asked.share is not None
        if simulated(cell) or compressed(cell) or measured or not cell.reproduced:
            continue
        found = by_paper.answer(cell.asked).value
        if cell.printed is None:
            assert found is None, cell.name
        else:
            rounded = not differs(cell.printed, found)  # some are printed with one digit
            assert rounded or found == pytest.approx(cell.printed, rel=ROUNDED, abs=LEAST), cell.name


def test_fleets_that_need_compression_say_with_which_they_are_as_printed(by_paper: ByPaper) -> None:
    cells = [cell for table in TABLES for cell in table.cells if compressed(cell) and cell.name.endswith("GPUs")]
    assert len(cells) == 4
    for cell in cells:
        found = by_paper.answer(cell.asked)
        assert found.value != cell.printed
        pools = found.note.removeprefix("γ = 1.1 gives ").split(" + ")
        assert sum(map(int, pools)) == cell.printed, cell.name


@pytest.mark.parametrize(
    ("prefill", "decode", "expected"),
    [
        (H100, A100, (1, 6, 151_000, 0.162, 0.091)),
        (H100, H100, (1, 3, 141_000, 0.162, 0.045)),
        (A100, H100, (1, 3, 125_000, 0.492, 0.045)),
    ],
)
def test_separate_prefill_and_decode(by_paper: ByPaper, prefill: str, decode: str, expected: tuple[float, ...]) -> None:
    """inference-fleet-sim, Table 8."""
    figures: tuple[SeparateFigure, ...] = ("prefill", "decode", "cost", "ttft", "tpot")
    found = [by_paper.answer(Disaggregated(prefill=prefill, decode=decode, figure=one)).value for one in figures]
    assert found == pytest.approx(expected, rel=0.005, abs=0.0005)


def test_caps_power_and_waits_of_the_power_capped_fleet(by_paper: ByPaper) -> None:
    """inference-fleet-sim, Table 9, by model.md §10."""

    def column(figure: CurtailedFigure) -> list[float | None]:
        return [by_paper.answer(Curtailed(shed=tenths / 10, figure=figure)).value for tenths in range(6)]

    assert column("cap") == [128, 48, 24, 13, 6, 1]
    assert [round(watts or 0) for watts in column("watts")] == [583, 540, 479, 413, 350, 304]
    assert [round((watts or 0) / 1e3, 1) for watts in column("fleet watts")] == [23.3, 21.6, 19.1, 16.5, 14.0, 12.2]
    assert [None if one is None else round(one * 1e3, 1) for one in column("ttft")] == [7.9] * 4 + [None, None]


@pytest.mark.parametrize(("hours", "printed"), [(4, 0.9989), (48, 0.9871)])
def test_availability(by_paper: ByPaper, hours: int, printed: float) -> None:
    """inference-fleet-sim, Eq. 6."""
    found = by_paper.answer(Repaired(failures_per_day=0.0065, repair=hours * 3600.0)).value
    assert found == pytest.approx(printed, abs=0.0001)


def test_one_replica_to_the_digits_of_the_reference(by_paper: ByPaper) -> None:
    """The long pool of section 1: 8 ms + 128 x 0.65 ms x 5000/8192, and 128 places over 1,008 such steps."""

    def figure(name: ReplicaFigure) -> float | None:
        return by_paper.answer(OneReplica(context=8192, tokens=5000, figure=name)).value

    assert figure("step") == pytest.approx(0.058781, abs=1e-6)
    assert figure("rate") == pytest.approx(128 / (1008 * 0.058781), rel=1e-4)


def test_what_compression_adds_to_all_requests_is_computed_and_the_rest_was_measured(by_paper: ByPaper) -> None:
    agent = Compressed(workload=AGENT, cut=8192, median=0.0034)
    assert by_paper.answer(agent).value == pytest.approx(0.1117 * 0.0034, rel=1e-3)
    assert by_paper.answer(Compressed(workload=AGENT, cut=8192, share=0.5)).value is None


def test_a_router_sends_to_the_same_gpus_what_it_would(by_paper: ByPaper) -> None:
    """inference-fleet-sim, Table 5: 2 and 23 H100, and all 25 for the longest requests where any may come anywhere."""
    cells = [cell.asked for cell in named("IFS T5").cells if isinstance(cell.asked, Routed)]
    by_router = {asked.router: by_paper.held_fleet(asked) for asked in cells}
    assert {name: [pool.replicas for pool in pools] for name, pools in by_router.items()} == {
        "length": [2, 23],
        "compress": [2, 23],
        "random": [25],
    }
    assert all(sum(pool.rate for pool in pools) == pytest.approx(20.0) for pools in by_router.values())
    assert by_router["compress"][0].rate > by_router["length"][0].rate
    assert by_router["random"][0].slots == by_router["length"][1].slots
    with pytest.raises(AssertionError, match="engine"):
        by_paper.answer(cells[0])


def test_a_simulation_is_not_answered_by_formula(by_paper: ByPaper) -> None:
    cell = next(cell for cell in named("IFS T2").cells if isinstance(cell.asked, SimulatedPool))
    with pytest.raises(AssertionError, match="engine"):
        by_paper.answer(cell.asked)
    assert isinstance(cell.asked, SimulatedPool)
    held = by_paper.held(cell.asked)
    assert (held.replicas, held.slots, held.rate) == (24, 16, 20.0)
