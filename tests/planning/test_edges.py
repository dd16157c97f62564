"""Beyond a fleet's greatest rate only the pools that are why it does not hold are too small."""

from fleettui.planning.edges import failing
from fleettui.planning.overload import evidence_against
from tests.planning.trials import evidence, seen, shape


def test_a_pool_beside_one_whose_load_is_too_high_is_not_too_small() -> None:
    busy = evidence_against(
        shape(1, 14, work=[0.5, 11.9]),
        (0.5, 0.86),
        lambda one: one > 0.85,
        lambda pool, one: f"{pool} {one:g}",
        seed=1,
        precision=0.05,
    )
    assert failing(busy) == (False, True)


def test_a_pool_that_is_not_proven_is_too_small_where_none_fails() -> None:
    passes, open_, fails = (
        seen("short", (0.3, 0.4), "pass"),
        seen("long", (0.4, 0.6), "unproven"),
        seen("middle", (0.6, 0.7), "fail"),
    )
    assert failing(evidence("unproven", passes, open_)) == (False, True)
    assert failing(evidence("fail", passes, open_, fails)) == (False, False, True)
