from dataclasses import replace

import pytest

from fleettui.domain.plan import Candidate, Evidence, Verdict
from fleettui.planning.failure_trials import as_proven
from tests.cli.conftest import BEST, PROVEN

SIZES = (4, 2)


def fleet(sizes: tuple[int, ...], verdicts: tuple[Verdict, ...], verdict: Verdict, spares: int = 0) -> Candidate:
    """Return a fleet of two pools as it was simulated, each pool with a verdict of its own."""
    (pool,), seen = BEST.fleet.pools, PROVEN.evidence
    assert seen is not None
    names, bounds = ("short", "long"), (0, 4096, 14336)
    pools = [
        replace(pool, name=name, replicas=size, spares=spares, above=bounds[place], up_to=bounds[place + 1])
        for place, (name, size) in enumerate(zip(names, sizes, strict=True))
    ]
    own = [replace(seen.pools[0], name=name, verdict=one) for name, one in zip(names, verdicts, strict=True)]
    evidence = replace(seen, verdict=verdict, reason=f"{sizes}", pools=tuple(own))
    return replace(PROVEN, fleet=replace(BEST.fleet, pools=tuple(pools)), evidence=evidence)


def evidence(of: Candidate) -> Evidence:
    assert of.evidence is not None
    return of.evidence


LEFT = fleet((6, 2), ("pass", "unproven"), "unproven")


@pytest.mark.parametrize(
    ("tried", "verdict"),
    [
        (fleet(SIZES, ("pass", "pass"), "pass", spares=2), "pass"),
        (fleet(SIZES, ("pass", "fail"), "fail"), "fail"),
        (fleet(SIZES, ("fail", "unproven"), "fail"), "unproven"),
        (fleet((4, 3), ("pass", "pass"), "pass"), "unproven"),
        (BEST, "unproven"),
    ],
)
def test_more_proof_of_a_pool_of_as_many_replicas_counts_where_a_study_proves_nothing(
    tried: Candidate, verdict: Verdict
) -> None:
    """Found: "1 of long: not proven" of a plan whose 100 runs prove the two of long that are left then."""
    found = as_proven(evidence(LEFT), LEFT, [tried])
    assert found.verdict == verdict
    if verdict == "unproven":
        assert found == LEFT.evidence
    else:
        assert found.pools == (evidence(LEFT).pools[0], evidence(tried).pools[1])


def test_what_a_study_proves_stays_and_so_does_what_is_known_of_no_pool() -> None:
    fails = fleet((6, 2), ("pass", "fail"), "fail")
    held = fleet(SIZES, ("pass", "pass"), "pass")
    assert as_proven(evidence(fails), fails, [held]) == fails.evidence
    both = fleet((6, 2), ("unproven", "unproven"), "unproven")
    found = as_proven(evidence(both), both, [held])
    assert [pool.verdict for pool in found.pools] == ["unproven", "pass"]
    assert (found.verdict, found.reason) == ("unproven", evidence(both).reason)
