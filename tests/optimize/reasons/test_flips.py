"""The named price is where the ranking turns: on one side the answer is cheapest, on the other the named fleet."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from fleettui.domain.plan import Answer, Candidate, Verdict
from fleettui.domain.scenario import Question
from fleettui.optimize.reasons.all_reasons import _of_prices
from fleettui.optimize.reasons.flips import (
    FAR,
    Flip,
    decides,
    first,
    flips,
    flips_finer,
    less_known,
    sentences,
    table,
    to_prove,
)
from fleettui.optimize.reasons.inputs import Ground, hardware, words
from fleettui.optimize.reasons.price_lines import at_price, line_of
from tests.optimize.reasons.grounds import answer_of, ground, knowing, simulated
from tests.optimize.samples import atoms, profile, question
from tests.repeated import few

PROFILES = [
    profile("fast"),
    profile("fast", tp=4, speed=1.8),
    profile("slow", speed=0.5, price=1.4),
    profile("slow", tp=4, speed=0.9, price=1.4),
    profile("tiny", tp=1, speed=0.3, price=1.5),
]
HAIR = 1e-6


def cost_at(base: Ground, flip: Flip, price: float) -> tuple[float, float]:
    """Return the cheapest fleet's cost at a price, by a plan of its own, and that of the answer as it stands."""
    best = base.find(at_price(base.question, flip.gpu, price)).answer
    assert best is not None
    return best.cost_per_hour, line_of(answer_of(base), flip.gpu, base).at(price)


@pytest.mark.evidence
@pytest.mark.parametrize(("seed", "ttft"), few([(5, 2.0), (8, 0.3)], 1))
def test_the_ranking_turns_at_the_price(seed: int, ttft: float) -> None:
    base = ground(question(ttft=ttft), 45.0, atoms(seed), PROFILES)
    found = flips(base, base.kept)
    own = {pool.gpu for pool in answer_of(base).fleet.pools}
    assert {one.gpu for one in found} == {"fast", "slow", "tiny"}
    ways = {(one.gpu, one.direction) for one in found}
    assert ways == {(gpu, "below") for gpu in ("fast", "slow", "tiny")} | {(gpu, "above") for gpu in own}
    for gpu, direction in ways:
        mine = [one for one in found if (one.gpu, one.direction) == (gpu, direction)]
        priced = [one for one in mine if one.price is not None]
        if not priced:
            cheapest, standing = cost_at(base, mine[0], mine[0].now * (1e-6 if direction == "below" else 1e3))
            assert cheapest >= standing * (1 - 1e-9)
            continue
        pick = max if direction == "below" else min
        flip = pick(priced, key=lambda one: one.price or 0.0)
        assert flip.price is not None
        sign = -1.0 if direction == "below" else 1.0
        cheapest, standing = cost_at(base, flip, flip.price * (1.0 - sign * HAIR))
        assert standing == pytest.approx(cheapest, rel=1e-9)
        cheapest, standing = cost_at(base, flip, flip.price * (1.0 + sign * HAIR))
        assert cheapest < standing * (1.0 - 1e-9)


@pytest.mark.evidence
def test_beyond_it_the_named_fleet_is_the_answer() -> None:
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    for flip in flips(base, base.kept):
        if flip.price is None or flip.winner is None:
            continue
        line = line_of(flip.winner, flip.gpu, base)
        if hardware(flip.winner) in [hardware(one) for one in base.kept.candidates]:
            assert line.at(flip.price) == pytest.approx(line_of(answer_of(base), flip.gpu, base).at(flip.price))


@pytest.mark.thorough
def test_each_topology_has_its_own_price_and_the_best_is_told() -> None:
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    found = flips(base, base.kept)
    own = {pool.gpu for pool in answer_of(base).fleet.pools}
    (other, *_) = sorted({one.gpu for one in found} - own)
    mine = [one for one in found if one.gpu == other]
    assert [one.pools for one in mine] == [1, 2]
    assert all(one.winner is None or len(one.winner.fleet.pools) == one.pools for one in mine)
    best = max(one.price or 0.0 for one in mine)
    told = next(said for said in sentences(found, base.kept.answer) if said.startswith(other))
    match = re.search(r"below \$([\d.]+)/h", told)
    assert match is not None
    assert float(match[1]) == pytest.approx(best, abs=1e-4)
    assert len(table(found).rows) == len(found)


def test_a_gpu_that_serves_nothing_has_no_price() -> None:
    small = profile("small", blocks=40, price=0.1)
    base = ground(question(ttft=2.0, pools=(1,)), 45.0, atoms(5), [*PROFILES, small])
    (flip,) = [one for one in flips(base, base.kept) if one.gpu == "small"]
    assert (flip.price, flip.winner) == (None, None)
    assert "no price of small changes the answer" in sentences(flips(base, base.kept), base.kept.answer)


@pytest.mark.evidence
def test_the_budget_is_left_out() -> None:
    base = ground(question(ttft=2.0, budget=200.0, pools=(1,)), 45.0, atoms(5), PROFILES)
    free = ground(question(ttft=2.0, pools=(1,)), 45.0, atoms(5), PROFILES)
    assert [one.price for one in flips(base, base.kept)] == [one.price for one in flips(free, free.kept)]


@pytest.mark.evidence
def test_numbers_of_pools_that_the_splits_do_not_make_are_left_out() -> None:
    base = ground(question(ttft=2.0, pools=(1, 2, 3), splits=(1500,)), 45.0, atoms(5), PROFILES)
    own = {pool.gpu for pool in answer_of(base).fleet.pools}
    assert {one.pools for one in flips(base, base.kept) if one.gpu not in own} == {1, 2}


@pytest.mark.thorough
def test_a_gpu_that_costs_nothing_becomes_too_dear() -> None:
    base = ground(question(ttft=2.0, pools=(1,)), 45.0, atoms(5), [profile("free", price=0.0), *PROFILES])
    (flip,) = [one for one in flips(base, base.kept) if one.direction == "above"]
    assert flip.price is not None
    cheapest, standing = cost_at(base, flip, flip.price * (1.0 - HAIR))
    assert standing == pytest.approx(cheapest, rel=1e-9)
    cheapest, standing = cost_at(base, flip, flip.price * (1.0 + HAIR))
    assert cheapest < standing * (1.0 - 1e-9)


def test_a_cheaper_fleet_that_no_price_moves_ends_the_search() -> None:
    """As where fleets of one topology alone are tried at more splits than beside others."""
    base = ground(question(ttft=2.0, pools=(1,)), 45.0, atoms(5), [profile("fast"), profile("slow", speed=0.5)])
    answer = answer_of(base)

    def find(_: Question) -> Answer:
        cheap = replace(answer, cost_per_hour=answer.cost_per_hour * 0.5)
        return replace(base.kept, answer=cheap, candidates=(cheap,))

    assert all(one.price is None for one in flips(replace(base, find=find), replace(base.kept, candidates=(answer,))))


def test_an_infeasible_plan_has_none() -> None:
    base = ground(question(ttft=2.0, budget=1.0), 45.0, atoms(5), PROFILES)
    assert flips(base, base.kept) == ()
    assert sentences((), None) == ()


@pytest.mark.evidence
def test_prices_leave_out_gpus_of_which_much_less_is_known() -> None:
    sure = [replace(one, band=(0.8, 1.3)) for one in PROFILES]
    unsure = replace(profile("unsure", price=1.4), band=(0.6, 4.0))
    asked = question(ttft=0.6, pools=(1, 2))
    base, without = (ground(asked, 45.0, atoms(1), profiles) for profiles in ([*sure, unsure], sure))
    cheaper = [one for one in base.kept.candidates if one.cost_per_hour < answer_of(base).cost_per_hour]
    assert {pool.gpu for one in cheaper for pool in one.fleet.pools} >= {"unsure"}
    assert "unsure" not in {pool.gpu for pool in answer_of(base).fleet.pools}
    assert less_known(base, answer_of(base)) == ("unsure",)
    assert less_known(without, answer_of(without)) == ()

    def told(one: Ground) -> list[tuple[str, int, str, float | None]]:
        return [(flip.gpu, flip.pools, flip.direction, flip.price) for flip in flips(one, one.kept)]

    assert told(base) == told(without)
    (warning,) = [one for one in _of_prices(base, answer_of(base), lambda _: None).warnings if "leave out" in one]
    assert warning == "prices leave out unsure: too little is known of how many would do"


def test_a_fleet_that_a_price_makes_cheaper_is_told_with_what_a_simulation_said_of_it() -> None:
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    found = flips(base, base.kept)
    open_ = to_prove(found)
    assert open_
    assert len(set(open_)) == len(open_)
    winners = {one.winner.fleet: one.winner for one in found if one.winner}
    apart = {one.winner.fleet: abs(math.log((one.price or 1.0) / one.now)) for one in first(found) if one.winner}
    assert open_[0] == min(apart, key=lambda fleet: apart[fleet])
    proven = flips(knowing(base, simulated(winners[open_[0]], "pass")), base.kept)
    assert to_prove(proven) == open_[1:]
    assert any("costs less, and holds as simulated" in said for said in sentences(proven, base.kept.answer))
    verdicts = {row["verdict"] for row in table(proven).records()}
    assert {"pass"} <= verdicts <= {"pass", "~pass", ""}


@pytest.mark.parametrize("verdict", ["fail", "unproven"])
def test_a_fleet_that_did_not_pass_is_never_said_to_cost_less(verdict: Verdict) -> None:
    """Found: "above $5.90/h H100 tp2 x1 + B200 tp2 x1 costs less", which fails; 8 H100 were to win at $7.87."""
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    before = flips(base, base.kept)
    failed = next(one for one in first(before) if one.winner)
    assert failed.winner is not None
    assert failed.price is not None
    after = flips(knowing(base, simulated(failed.winner, verdict)), base.kept)
    assert failed.winner.fleet not in [one.winner.fleet for one in after if one.winner]
    mine = [one for one in first(after) if (one.gpu, one.direction) == (failed.gpu, failed.direction)]
    assert [one for one in mine if one.winner], "the next that holds is looked for"
    for one in mine:
        assert one.price is not None
        assert abs(math.log(one.price / one.now)) >= abs(math.log(failed.price / failed.now)) - HAIR


def test_rivals_divide_between_the_points_of_the_grid_near_those_that_were_simulated_to_win() -> None:
    """Found: b200 above $8.85, h100 below $1.75, where plans turned at $7.87 and $1.97 to one H100 less."""
    base = ground(question(ttft=2.0, pools=(2,)), 45.0, atoms(5), PROFILES)
    flip = next(one for one in first(flips(base, base.kept)) if one.winner and one.direction == "above")
    winner = flip.winner
    assert winner is not None
    middle = 0.5 * (flip.now + (flip.price or 0.0))
    mine, its = (line_of(one, flip.gpu, base).at(middle) for one in (answer_of(base), winner))
    cheaper = winner.cost_per_hour + mine - its
    fewer = replace(winner, fleet=replace(winner.fleet, router="random"), cost_per_hour=cheaper)
    asked: list[Sequence[Candidate]] = []

    def finer(near: Sequence[Candidate]) -> Sequence[Candidate]:
        asked.append(near)
        return [fewer]

    def told(*proofs: Candidate) -> Flip:
        seen = replace(knowing(base, *proofs), finer=finer)
        found = flips_finer(seen, base.kept)
        return next(one for one in first(found) if (one.gpu, one.direction) == (flip.gpu, flip.direction))

    assert (told().price, asked) == (flip.price, []), "no winner was simulated"
    passed = simulated(winner, "pass")
    nearer = told(passed)
    assert asked[0][0].fleet == winner.fleet
    assert nearer.winner is not None
    assert (nearer.winner.fleet, nearer.verdict) == (fewer.fleet, None)
    assert nearer.price == pytest.approx(middle)
    assert told(passed, simulated(fewer, "fail")).price == flip.price
    proven = told(passed, simulated(fewer, "pass"))
    assert proven.price == nearer.price
    (latest, *_), (by_formula, *_) = sentences([proven], base.kept.answer), sentences([nearer], base.kept.answer)
    assert f"%) at the latest, now ${flip.now:.2f}: " in latest
    assert "at the latest" not in by_formula


def test_what_is_beyond_the_stock_is_no_rival_though_it_holds_as_simulated() -> None:
    """Found: a joint plan's workload was to turn to 10 L40S, of a stock of 8."""
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    flip = next(one for one in first(flips(base, base.kept)) if one.winner)
    assert flip.winner is not None
    gpu, taken = max(
        flip.winner.fleet.gpus_by_type.items(), key=lambda one: one[1] - line_of(answer_of(base), one[0], base).count
    )
    held = replace(base.question, max_gpus=((gpu, taken - 1),))
    after = flips(replace(knowing(base, simulated(flip.winner, "pass")), question=held), base.kept)
    found = [one.winner.fleet for one in after if one.winner]
    assert flip.winner.fleet not in found
    assert all(fleet.gpus_by_type.get(gpu, 0) < taken for fleet in found)


def test_what_is_no_larger_than_a_fleet_that_failed_is_no_rival() -> None:
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    failed = next(one for one in first(flips(base, base.kept)) if one.winner).winner
    assert failed is not None
    larger = base.fix(failed.fleet, [pool.replicas + 1 for pool in failed.fleet.pools]).candidate
    after = flips(knowing(base, simulated(larger, "fail")), base.kept)
    assert failed.fleet not in [one.winner.fleet for one in after if one.winner]


def test_of_fleets_that_win_at_one_price_the_one_that_was_simulated_is_told() -> None:
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    flip = next(one for one in first(flips(base, base.kept)) if one.winner)
    assert flip.winner is not None
    twin = replace(flip.winner, fleet=replace(flip.winner.fleet, router="random"))
    told = flips(knowing(base, simulated(twin, "pass")), base.kept)
    mine = next(one for one in first(told) if (one.gpu, one.direction) == (flip.gpu, flip.direction))
    assert (mine.price, mine.proof) == (flip.price, "pass")


def test_what_decides_is_not_far_from_todays_prices() -> None:
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    flip = next(one for one in first(flips(base, base.kept)) if one.winner)
    assert flip.winner is not None
    near, far = (replace(flip, price=flip.now * times, direction="above") for times in (0.99 * FAR, 1.01 * FAR))
    assert decides([near]) == to_prove([far]) == (flip.winner.fleet,)
    assert decides([far]) == decides([replace(near, now=0.0)]) == decides([replace(near, verdict="pass")]) == ()


def test_a_fleet_that_may_win_earlier_is_said_not_to_be_simulated() -> None:
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    flip = next(one for one in first(flips(base, base.kept)) if one.winner)
    flip = replace(flip, now=4.0, price=8.0, direction="above")
    assert flip.winner is not None
    earlier, best = replace(flip, price=6.0), base.kept.answer
    plain = sentences([flip], best)
    *others, said = sentences([flip], best, (), [earlier])
    assert tuple(others) == plain
    assert said.startswith(f"{flip.gpu} above $6.0000/h (+50%) at the earliest: {words(flip.winner)} would cost less")
    assert said.endswith("was not simulated")
    never = replace(flip, price=None, winner=None)
    assert sentences([never], best) == (f"no price of {flip.gpu} changes the answer",)
    assert sentences([never], best, (), [earlier]) == (said,), "one may change it"
    for none in (flip, replace(earlier, verdict="pass"), replace(earlier, price=4.0 * FAR * 1.01)):
        assert sentences([flip], best, (), [none]) == plain


def test_what_a_price_makes_cheaper_says_how_it_is_known_and_whether_the_page_named_another() -> None:
    """Found: $99.75 by formula stood beside the page's $105.00, and simulated it was $102.50."""
    base = ground(question(ttft=2.0, pools=(1,)), 45.0, atoms(5), PROFILES)
    (flip,) = (one for one in flips(base, base.kept) if one.direction == "above")
    assert flip.winner is not None
    own = flip.winner.fleet.pools[0]
    page = (f"next without {flip.gpu}, by formula: {own.gpu} tp9 x9, $1.00/h", f"limited by {flip.gpu}")
    (told,) = sentences([flip], base.kept.answer, page)
    assert told.endswith("costs less, by formula")
    simulated_ = replace(flip, verdict="pass")
    (told,) = sentences([simulated_], base.kept.answer, page)
    assert told.endswith(f"and holds as simulated (next without {flip.gpu} on the page was by formula)")
    (told,) = sentences([simulated_], base.kept.answer, (f"next without {flip.gpu}: {words(flip.winner)}, $1.00/h",))
    assert told.endswith("and holds as simulated")


def test_beside_a_proven_answer_what_was_put_aside_at_todays_prices_is_no_rival() -> None:
    """The formulas' own failed, so a dearer fleet is the answer: prices turn that, and not what failed."""
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    failed = answer_of(base)
    proven = next(one for one in base.kept.candidates if one.cost_per_hour > 1.05 * failed.cost_per_hour)
    told = knowing(base, simulated(proven, "pass"), simulated(failed, "fail"))
    found = [one for one in flips(told, replace(base.kept, answer=proven)) if one.winner is not None]
    assert found
    for one in found:
        assert one.winner is not None
        assert one.price is not None
        assert one.winner.fleet != failed.fleet
        mine, its = (line_of(fleet, one.gpu, base) for fleet in (proven, one.winner))
        assert mine.at(one.price) == pytest.approx(its.at(one.price)), "there both cost the same"
        assert its.at(one.now) >= mine.at(one.now) * (1.0 - 1e-9)
    reasons = _of_prices(told, proven, lambda _: None)
    assert reasons.sentences == sentences(flips(told, replace(base.kept, answer=proven)), proven)
    assert [one for one in reasons.warnings if one.endswith("prices leave such fleets out")]


def test_another_fleet_that_costs_as_much_as_a_proven_answer_is_not_told_to_be_cheapest() -> None:
    """Found: "H100 tp1 x2 is cheapest, not the plan's fleet: prices leave such fleets out", both at $5.90."""
    base = ground(question(ttft=2.0), 45.0, atoms(5), PROFILES)
    first = answer_of(base)
    other = next(one for one in base.kept.candidates if hardware(one) != hardware(first))
    for cost, warned in ((first.cost_per_hour, False), (1.01 * first.cost_per_hour, True)):
        proven = replace(other, cost_per_hour=cost)
        told = _of_prices(knowing(base, simulated(proven, "pass")), proven, lambda _: None)
        assert any("is cheapest" in one for one in told.warnings) == warned


@pytest.mark.parametrize(
    "known", [("mixed", "alone"), ("alone", "mixed"), ("mixed",)], ids=["last", "first", "searched"]
)
def test_of_fleets_that_win_at_one_price_the_one_that_costs_least_past_it_is_told(known: Sequence[str]) -> None:
    """Found: mi300x above $5.90 had H100 tp2 x2 + MI300X tp1 x1, where H100 alone costs less just past it."""
    base = ground(question(ttft=2.0, pools=(1, 2)), 45.0, atoms(5), PROFILES)
    (pool, *_), first_ = answer_of(base).fleet.pools, answer_of(base)
    ends = ((0, 1000), (1000, 2000))

    def fleet(asked: Question, **replicas: int) -> Candidate:
        prices = {"slow": 1.4, "fast": 2.0, **dict(asked.prices)}
        pools = tuple(
            replace(pool, name=gpu, gpu=gpu, tp=1, replicas=count, above=low, up_to=high)
            for (gpu, count), (low, high) in zip(replicas.items(), ends, strict=False)
        )
        cost = sum(prices[gpu] * count for gpu, count in replicas.items())
        return replace(first_, fleet=replace(first_.fleet, pools=pools), cost_per_hour=cost, evidence=None)

    def find(asked: Question) -> Answer:
        found = min((fleet(asked, slow=3), fleet(asked, fast=3)), key=lambda one: one.cost_per_hour)
        return replace(base.kept, answer=found, candidates=(found,))

    fleets = {"mixed": fleet(base.question, fast=2, slow=1), "alone": fleet(base.question, fast=3)}
    own = replace(base.kept, answer=fleet(base.question, slow=3), candidates=tuple(map(fleets.__getitem__, known)))
    found = first(flips(replace(base, find=find, kept=own, profiles=tuple(PROFILES[:1] + PROFILES[2:3])), own))
    turns = {f"{one.gpu} {one.direction}": one for one in found}
    for key, price in (("slow above", 2.0), ("fast below", 1.4)):
        winner = turns[key].winner
        assert winner is not None
        assert winner.fleet == fleets["alone"].fleet
        assert turns[key].price == pytest.approx(price)
