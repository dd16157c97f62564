"""Shapes of fleets at the sizes that suffice in a share of the cases: which is best, and which is told."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from fleettui.domain.anchor import NOTHING_SEEN, Anchor
from fleettui.domain.confidence import Confidence
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.planning.sized_shapes import CLEARLY, Known, Shape, SizedShapes, better, options
from tests.planning.trials import curves, evidence, shape
from tests.planning.trials import seen as seen_pool

ASKED = Question(workload="chat", slo=Slo(ttft=0.5))
SURE = Confidence(holds=0.5, replicas=(10,), gpus=20, cost=20.0, span=(4, 30))


def known(candidate: Candidate) -> Shape:
    return candidate, curves(candidate)


def test_the_best_at_its_own_size_comes_first_and_what_has_no_size_is_left_out() -> None:
    small, large, none = (known(shape(4, gpu=gpu)) for gpu in ("h100", "a100", "l40s"))
    found = options([(small, (9,)), (large, (6,)), (none, None)], ASKED)
    assert [(one.shape, one.sizes) for one in found] == [(large[0], (6,)), (small[0], (9,))]
    assert options([(small, (9,))], replace(ASKED, max_total_gpus=10)) == []


@pytest.mark.parametrize(("size", "told"), [(9, True), (10, False), (11, False)])
def test_another_shape_is_told_where_it_is_clearly_better_than_more_of_the_same(size: int, told: bool) -> None:
    own, other = known(shape(5)), known(shape(5, gpu="a100"))
    found = options([(other, (size,))], ASKED)
    assert 10 * CLEARLY < 1, "one replica of ten is clearly better"
    assert (better(found, own, SURE, ASKED) is not None) == told
    assert better(found, own, replace(SURE, replicas=None), ASKED) is found[0]


def test_another_shape_that_keeps_to_the_stock_is_told_beside_more_of_the_same_that_do_not() -> None:
    own, other = known(shape(5)), known(shape(5, gpu="a100"))
    found = options([(other, (11,))], ASKED)
    assert better(found, own, SURE, replace(ASKED, max_gpus=(("h100", 20),))) is None
    assert better(found, own, SURE, replace(ASKED, max_gpus=(("h100", 19),))) is found[0]


def test_where_no_shape_has_a_size_none_is_told() -> None:
    assert better([], known(shape(5)), SURE, ASKED) is None


async def test_replicas_that_were_never_simulated_err_as_those_that_were_where_all_err_alike() -> None:
    seen, unseen = known(shape(4)), known(shape(4, gpu="a100"))
    tried = [replace(seen[0], evidence=evidence("fail", seen_pool("short", (0.6, 0.7), "fail")))]
    asked = list[list[tuple[Anchor, ...]]]()

    async def sized(fleets: Sequence[Known]) -> list[tuple[int, ...] | None]:
        asked.append([own for _, own in fleets])
        return [(5,) for _ in fleets]

    for err_alike in (False, True):
        await SizedShapes(ASKED, 10.0, sized, err_alike).options([seen, unseen], tried)
    (own, other), (same, another) = asked
    assert own == same
    assert own[0].ratios("ttft")
    assert other == (NOTHING_SEEN,)
    assert another[0].ratios("ttft") == own[0].ratios("ttft")
    assert another[0].most(10.0) == math.inf, "which sizes hold is not known of others"


def test_shapes_fill_the_whole_nodes_that_they_pay_for() -> None:
    """Found: 12 H100 at the price of 16 were the answer for a confidence of 80 %, 87 % sure where 16 are 99 %."""
    shape_, own = known(shape(4))
    nodes = shape_, tuple(replace(one, lot=8) for one in own)
    (found,) = options([(nodes, (6,))], replace(ASKED, whole_nodes=True))
    (least,) = options([(nodes, (6,))], ASKED)
    assert (found.sizes, least.sizes) == ((8,), (6,))
    assert found.worth == least.worth
