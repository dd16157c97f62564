from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import pytest

from fleettui.domain.confidence import Confidence
from fleettui.domain.study import Quantity
from fleettui.domain.whatif import Sample, Swing
from fleettui.reports.studies.sensitivity import rank, sensitivity_study, suffices
from fleettui.reports.study_text import study_text
from tests.cli.conftest import PROVEN
from tests.reports.studies.test_steps import ABOUT


def swing(name: str, quantity: Quantity, ends: tuple[float, float], gpus: tuple[int | None, int | None]) -> Swing:
    cost = tuple(None if one is None else 2.95 * one for one in gpus)
    return Swing(name=name, quantity=quantity, low=ends[0], high=ends[1], gpus=gpus, cost=cost)  # type: ignore[arg-type]


SWINGS = (
    swing("rate", "rate", (80.0, 120.0), (40, 56)),
    swing("step time", "share", (-0.25, 0.25), (40, 48)),
    swing("prefix hit", "share", (0.2, 0.4), (56, 48)),
)


def sample(counts: Sequence[int | None]) -> Sample:
    return Sample(
        drawn=(("rate", "lognormal"),),
        confidence=Confidence(holds=0.52, replicas=(8,), gpus=64, cost=188.8, span=(40, 72)),
        replicas=tuple(None if one is None else (one // 8,) for one in counts),
        gpus=tuple(counts),
        cost=tuple(None if one is None else 2.95 * one for one in counts),
    )


def test_the_sentences_name_the_widest_the_spread_and_the_plans_odds() -> None:
    drawn = sample([40] * 10 + [48] * 50 + [56] * 40)
    found = sensitivity_study(ABOUT, SWINGS, drawn, 48, 7)
    assert found.sentences == (
        "rate alone moves it most: 40 GPUs at 80/s, 56 GPUs at 120/s, by formula",
        "of 100 joint draws half need 48 GPUs or fewer, nine in ten 40 to 56",
        "the plan's 48 GPUs suffice in 60% of them; 95% of them need 56 or fewer",
        "by formula, over step times, not waits, within the model's error alone, "
        "~52% sure that 48 GPUs suffice, 90% with ~64 like these (~$189/h)",
    )
    assert found.seed == 7
    assert [row[1:3] for row in found.tables[0].rows] == [("80/s", "120/s"), ("-25%", "+25%"), ("20%", "40%")]
    assert all(len(line) <= 80 for line in study_text(found).splitlines())


def test_inputs_that_move_it_as_far_are_named_together() -> None:
    """Found: "rate alone moves it most", where five inputs moved it by one GPU."""
    even = (*SWINGS[1:], swing("step time", "share", (-0.25, 0.25), (48, 56)))
    told = sensitivity_study(ABOUT, even, sample([40] * 5), 48, 1).sentences[0]
    assert told == "step time, prefix hit and step time move it most, each alone by 8 GPUs, by formula"
    endless = [replace(one, gpus=(40, None)) for one in SWINGS[:2]]
    told = sensitivity_study(ABOUT, endless, sample([40] * 5), 48, 1).sentences[0]
    assert told == "rate and step time move it most, each alone to where none holds, by formula"


def test_draws_without_a_fleet_count_as_more_than_any() -> None:
    drawn = sample([40] * 5 + [None] * 5)
    found = sensitivity_study(ABOUT, SWINGS, drawn, 48, 1)
    assert found.sentences[1] == "of 10 joint draws half need 40 GPUs or fewer, nine in ten 40 or more"
    assert found.sentences[-2] == "in 50% of them no number of GPUs of this shape holds"
    assert [row[1] for row in found.tables[1].rows] == [40, 40, 40, None, None, 48]
    assert found.tables[2].rows[-1][-1] == pytest.approx(0.5)


def test_bins_hold_every_draw_once() -> None:
    counts: list[int | None] = [8 * at for at in range(1, 101)]
    table = sensitivity_study(ABOUT, SWINGS, sample(counts), None, 1).tables[2]
    assert len(table.rows) <= 12
    assert sum(row[2] for row in table.rows if isinstance(row[2], float)) == pytest.approx(1.0)
    edges = [(row[0], row[1]) for row in table.rows]
    assert all(low <= high for low, high in edges)  # type: ignore[operator]
    for (_, before), (after, _) in pairwise(edges):
        assert after == before + 1  # type: ignore[operator]


def test_ranks_are_the_least_count_that_suffices_so_often() -> None:
    counts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    for share in (0.05, 0.1, 0.5, 0.51, 0.95, 1.0):
        found = rank(counts, share)
        assert found is not None
        assert sum(one <= found for one in counts) / 10 >= share
        assert sum(one < found for one in counts) / 10 < share
    assert rank([1, None], 0.9) is None


def test_every_pool_must_suffice() -> None:
    drawn = replace(sample([16, 16, None]), replicas=((1, 1), (2, 0), None))
    assert suffices(drawn, (1, 1)) == pytest.approx(1 / 3)
    assert suffices(drawn, (2, 1)) == pytest.approx(2 / 3)


def test_a_count_of_all_pools_is_not_said_to_suffice() -> None:
    first = replace(ABOUT.fleet.fleet.pools[0], replicas=3, up_to=4096)
    second = replace(first, name="long", above=4096, up_to=14_336)
    fleet = replace(ABOUT.fleet, fleet=replace(ABOUT.fleet.fleet, pools=(first, second)))
    drawn = replace(sample([48] * 10), replicas=((4, 2),) * 5 + ((2, 4),) * 5)
    found = sensitivity_study(replace(ABOUT, fleet=fleet), SWINGS, drawn, 48, 1)
    assert found.sentences[2] == (
        "the plan's 48 GPUs suffice in 0% of them; 95% of them need 48 or fewer, each divided in its own way"
    )
    assert "suffice" not in found.tables[1].title


def test_what_is_held_is_told_and_that_a_plan_of_its_own_may_need_fewer() -> None:
    """Found: 6 GPUs at prompts 10 % shorter than those of 5, where a plan of such prompts needs 4: the split stays."""
    first = replace(ABOUT.fleet.fleet.pools[0], up_to=4096)
    second = replace(first, name="long", above=4096, up_to=14_336)
    split = replace(ABOUT, fleet=replace(ABOUT.fleet, fleet=replace(ABOUT.fleet.fleet, pools=(first, second))))
    alone = replace(ABOUT, fleet=replace(ABOUT.fleet, fleet=replace(ABOUT.fleet.fleet, pools=(first,))))
    for about, sizes, held in ((split, (4, 2), "shape and split"), (alone, (6,), "shape")):
        drawn = replace(sample([48] * 10), replicas=(sizes,) * 10)
        note = sensitivity_study(about, SWINGS, drawn, 48, 1).tables[0].note
        assert f"; each input alone, the fleet's {held} held, sized anew; a plan of its own may need fewer; " in note


def test_a_simulated_plan_tells_what_the_formula_asks_for() -> None:
    proven = replace(ABOUT, fleet=PROVEN)
    assert "by formula, which says 56" in sensitivity_study(proven, SWINGS, sample([48]), 56, 1).warnings[0]
    assert sensitivity_study(proven, SWINGS, sample([48]), 48, 1).warnings == ()


def test_inputs_that_move_nothing_are_told_so() -> None:
    still = swing("rate", "rate", (80.0, 120.0), (48, 48))
    hopeless = swing("rate", "rate", (80.0, 120.0), (48, None))
    assert "no input moves" in sensitivity_study(ABOUT, (still,), sample([48]), 48, 1).sentences[0]
    assert (
        "48 GPUs at 80/s, no number of GPUs at 120/s"
        in sensitivity_study(ABOUT, (hopeless,), sample([48]), 48, 1).sentences[0]
    )
