"""The ends of a stretch of rates that is not proven are the same from wherever it was met."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from fleettui.domain.plan import Look, Verdict
from fleettui.planning.ladder import above, is_rung, place, rung
from fleettui.planning.unproven_rates import MOST, WIDE, Stretch, beyond, spread
from tests.planning.trials import evidence, seen, shape

HOLDS_TO, FAILS_FROM = 8.6, 13.8


def look(rate: float, verdict: Verdict) -> Look:
    return Look(rate=rate, candidate=replace(shape(2), evidence=evidence(verdict, seen("short", (0.4, 0.5), verdict))))


def drawn(rate: float) -> Verdict:
    """Return what runs show at a rate: of those between, every third holds by luck."""
    if rate <= HOLDS_TO or rate >= FAILS_FROM:
        return "pass" if rate <= HOLDS_TO else "fail"
    return "pass" if place(rate) % 3 == 0 else "unproven"


def ends(looks: Sequence[Look], own: float) -> tuple[tuple[float, float] | None, int]:
    """Return the ends of the stretch that looks met, and how many more it took."""
    taken: list[float] = []

    async def take(rate: float) -> Look | None:
        assert is_rung(rate)
        taken.append(rate)
        return look(rate, drawn(rate))

    return asyncio.run(Stretch(looks=list(looks), own=own, take=take).ends()), len(taken)


@pytest.mark.parametrize("met", [(8.828, 12.37), (10.77, 13.12, 13.65), (9.188, 10.14)])
def test_its_ends_do_not_hang_on_the_rates_at_which_it_was_met(met: tuple[float, ...]) -> None:
    """Found: one fleet held to 8.66, 9.19, 9.37 or 11/s as 14, 20, 9 or 11/s was asked about."""
    found, taken = ends([look(rate, "unproven") for rate in met], own=20.0)
    known, _ = ends([look(rung(place(11.0)), "unproven")], own=20.0)
    assert found == known
    assert found is not None
    low, high = found
    assert low <= HOLDS_TO < low * 1.02 ** (2 * WIDE)
    assert high >= FAILS_FROM > high / 1.02**WIDE
    assert taken <= MOST


def test_what_the_plans_own_rate_proved_counts_for_those_below_or_above_it() -> None:
    met = [look(rung(place(11.5)), "unproven"), look(rung(place(12.5)), "unproven")]
    (low, high), _ = ends([*met, look(11.0, "pass")], own=11.0)  # type: ignore[misc]
    assert (low, high > FAILS_FROM) == (11.0, True)
    (low, high), _ = ends([*met, look(13.0, "fail")], own=13.0)  # type: ignore[misc]
    assert (low < HOLDS_TO, high) == (True, 13.0)


def test_where_nothing_more_is_simulated_no_end_is_told() -> None:
    async def none(rate: float) -> Look | None:
        return None

    assert asyncio.run(Stretch(looks=[look(9.188, "unproven")], own=20.0, take=none).ends()) is None


def test_a_stretch_is_met_where_rates_that_are_not_proven_are_so_far_apart() -> None:
    start = rung(place(9.0))
    far, near = rung(place(start) + WIDE), above(start)
    opened = look(start, "unproven")
    assert spread([opened, look(far, "unproven")])
    assert spread([opened, look(far, "pass")])
    assert not spread([opened, look(near, "unproven"), look(far, "fail")])
    assert not spread([look(start, "pass"), look(far, "fail")])
    assert beyond([opened], start) == far
    assert beyond([opened, look(far, "fail")], start) is None, "the limit is near"
    assert beyond([look(start, "fail")], start) is None
