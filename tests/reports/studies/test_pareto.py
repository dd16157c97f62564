from dataclasses import replace

import pytest

from fleettui.domain.demand import Demand, DerivedDemand
from fleettui.domain.fleet import Fleet
from fleettui.domain.pareto import Tradeoff, Weighed
from fleettui.domain.plan import UNKNOWN_PAIRING, Answer
from fleettui.domain.slo import Slo
from fleettui.domain.study import Study
from fleettui.planning.studies import STUDIES
from fleettui.reports.studies.pareto import dearer, fleet, pareto_study
from fleettui.reports.study_chart import study_chart
from fleettui.reports.study_text import study_json, study_text
from tests.cli.conftest import POOL, PROVEN
from tests.reports.studies.test_sweep import ASKED, PLAN


def weighed(replicas: int, ttft: float, *, gpu: str = "h100", cost: float | None = None, power: float = 0.0) -> Weighed:
    """Return a fleet of one pool in eights; what it costs and draws is 23.60 $/h and 5 kW a replica unless given."""
    return Weighed(
        fleet=Fleet(pools=(replace(POOL, replicas=replicas, gpu=gpu),)),
        cost=23.6 * replicas if cost is None else cost,
        power=power or 5_000.0 * replicas,
        ttft=ttft,
        tpot=0.04,
        tokens_per_joule=1.25,
    )


CHEAPEST, BEND, FASTEST = weighed(6, 0.4), weighed(7, 0.2), weighed(12, 0.15)
FEWER = weighed(5, 0.45, gpu="b200", cost=200.0, power=20_000.0)
FOUND = Tradeoff(
    best=(("cost", CHEAPEST), ("gpus", FEWER), ("power", FEWER), ("ttft", BEND)),
    front=(CHEAPEST, BEND, FASTEST),
    knee=1,
    found=5,
    weighed=40,
    standing=3,
)


def study(found: Tradeoff = FOUND, plan: Answer = PLAN) -> Study:
    return pareto_study(plan, ASKED, found)


def test_the_ends_the_knee_and_other_choices_are_told_first() -> None:
    assert study().sentences == (
        "the cheapest: 48 H100 (H100 tp8 x6), $142/h, TTFT 0.40 s",
        "the fastest here: 96 H100 (H100 tp8 x12), $283/h, TTFT 0.15 s: +100% cost, -62% TTFT",
        "the knee: 56 H100 (H100 tp8 x7), $165/h, TTFT 0.20 s: +17% cost, -50% TTFT; beyond it, faster costs more for "
        "less",
        "fewest GPUs: 40 B200 (B200 tp8 x5) instead of 48: +41% cost, +12% TTFT",
        "least power: 40 B200 (B200 tp8 x5), 20.0 kW instead of 30.0 kW: +41% cost, +12% TTFT",
        "this plan, 48 GPUs at $142/h, TTFT 0.40 s by formula: on the front, or within 1% of it",
    )


def test_beside_a_plan_that_is_to_be_sure_all_is_told_to_be_at_nominal_speed() -> None:
    """Seen: a plan that was to be 90% sure was told what a fleet that is 57% sure would save."""
    nominal, cheaper = ", at nominal speed, where the plan is to be 90% sure", weighed(5, 0.4)
    own = replace(PLAN, answer=replace(PROVEN, fleet=CHEAPEST.fleet))
    front = replace(FOUND, best=(("cost", cheaper),), front=(cheaper, BEND), knee=None)
    found = pareto_study(own, replace(ASKED, confidence=0.9), front)
    assert found.sentences[0].startswith(f"the cheapest{nominal}: 40 H100")
    assert found.sentences[-1].endswith(f"by formula{nominal}")
    assert all(table.note.endswith(nominal) for table in found.tables)
    assert (found.warnings, len(study(front, own).warnings)) == ((), 1)
    alone = pareto_study(own, replace(ASKED, confidence=0.9), replace(front, front=(cheaper,)))
    assert alone.sentences[0].startswith(f"the cheapest is the fastest too{nominal}: 40 H100")
    assert not any("nominal" in one for one in study(front, own).sentences)


def test_where_one_fleet_is_best_in_all_that_is_said_once() -> None:
    best = tuple((objective, CHEAPEST) for objective, _ in FOUND.best)
    found = study(replace(FOUND, best=best, front=(CHEAPEST,), knee=None, standing=1))
    assert found.sentences[:2] == (
        "the cheapest is the fastest too: 48 H100 (H100 tp8 x6), $142/h, TTFT 0.40 s",
        "the cheapest also has the fewest GPUs and the least power",
    )
    assert study_chart(found, STUDIES.named("pareto").picture) is None


@pytest.mark.parametrize(
    ("front", "standing"),
    [
        ((weighed(6, 0.3, gpu="b200"), BEND), "beaten by 48 B200 (B200 tp8 x6), $142/h, TTFT 0.30 s"),
        ((weighed(5, 0.4), BEND), "beaten by 40 H100 (H100 tp8 x5), $118/h, TTFT 0.40 s"),
        ((weighed(6, 0.4, gpu="mi300x"), BEND), "on the front, or within 1% of it"),
        ((BEND, FASTEST), "no fleet of the front is both as cheap and as fast"),
        ((weighed(5, 0.5), BEND), "no fleet of the front is both as cheap and as fast"),
    ],
    ids=["faster", "cheaper", "alike", "all dearer", "cheaper is slower"],
)
def test_the_plans_own_place(front: tuple[Weighed, ...], standing: str) -> None:
    assert study(replace(FOUND, front=front, knee=None)).sentences[-1].endswith(f"by formula: {standing}")


def test_rows_say_how_they_are_known_and_the_plans_own_is_told_as_simulated() -> None:
    own = replace(PROVEN, fleet=CHEAPEST.fleet)
    front = (replace(CHEAPEST, simulated=True), BEND, FASTEST)
    found = study(replace(FOUND, front=front), replace(PLAN, answer=own))
    assert [row[5] for row in found.tables[1].rows] == ["simulated", "formula", "formula"]
    assert found.sentences[1].startswith("the fastest here: 96 H100 (H100 tp8 x12), $283/h, TTFT ~0.15 s")
    assert found.sentences[-1].endswith("as simulated: on the front, or within 1% of it")


def test_a_plan_without_a_fleet_has_no_place() -> None:
    found = study(plan=replace(PLAN, answer=None, verdict="unproven"))
    assert not any("this plan" in said for said in found.sentences)
    assert "this plan" not in study_text(found)


def test_rows_stand_as_given_and_say_what_they_stand_out_by() -> None:
    best, front = study().tables
    assert best.rows[1] == (
        "gpus",
        "B200 tp8 x5",
        40,
        200.0,
        pytest.approx(200.0 / 141.6 - 1.0),
        20_000.0,
        0.45,
        0.04,
        1.25,
        "formula",
    )
    assert [row[0] for row in best.rows] == ["cost", "gpus", "power", "ttft"]
    assert [row[-1] for row in front.rows] == ["cheapest, this plan", "knee", "fastest"]
    assert front.rows[2][:5] == (12 * 23.6, 0.15, 96, 60_000.0, "H100 tp8 x12")
    assert front.note.startswith("of 40 no other is both as cheap and as fast as one of these: 5 fleets ")
    assert "3 of the 60 on it are shown" in study(replace(FOUND, standing=60)).tables[1].note


def test_the_front_is_drawn_and_its_text_is_80_wide() -> None:
    found = study()
    chart = study_chart(found, STUDIES.named("pareto").picture)
    assert chart is not None
    assert [one.points for one in chart.series] == [((6 * 23.6, 0.4), (7 * 23.6, 0.2), (12 * 23.6, 0.15))]
    assert (chart.series[0].style, chart.x.label, chart.y.label) == ("step", "cost per hour", "TTFT")
    text = study_text(found)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "tok/J" in text
    rows = study_json(found, "pareto")["tables"][0]["rows"]
    assert rows[0]["tokens_per_joule"] == 1.25


def test_what_a_fleet_costs_more_is_undefined_where_the_cheapest_costs_nothing() -> None:
    free = weighed(6, 0.4, cost=0.0)
    assert dearer(BEND, free) is None
    assert dearer(replace(CHEAPEST, cost=CHEAPEST.cost * (1.0 + 1e-12)), CHEAPEST) == 0.0
    found = study(replace(FOUND, best=(("cost", free),), front=(free, BEND), knee=None))
    assert "$165/h more, -50% TTFT" in found.sentences[1]
    assert found.tables[0].rows[0][4] is None


def test_two_fleets_that_divide_elsewhere_are_told_apart() -> None:
    short, long = replace(POOL, name="short", up_to=4096), replace(POOL, name="long", above=4096, replicas=2)
    assert fleet(Fleet(pools=(short, long))) == "H100 tp8 x6 + tp8 x2 at 4,096"
    assert fleet(Fleet(pools=(POOL,))) == "H100 tp8 x6"


def test_fleets_of_two_number_formats_are_told_apart_where_the_question_leaves_it_open() -> None:
    eight = replace(FASTEST, fleet=replace(FASTEST.fleet, pools=(replace(FASTEST.fleet.pools[0], dtype="fp8"),)))
    found = replace(FOUND, front=(CHEAPEST, BEND, eight))
    told = pareto_study(PLAN, replace(ASKED, dtype="auto"), found)
    assert [row[4] for row in told.tables[1].rows] == ["bf16 H100 tp8 x6", "bf16 H100 tp8 x7", "fp8 H100 tp8 x12"]
    assert "this plan" not in pareto_study(PLAN, ASKED, replace(FOUND, front=(eight,), knee=None)).tables[1].rows[0]


def test_what_all_of_it_rests_on_is_warned_of() -> None:
    assert study().warnings == ()
    smaller = replace(PROVEN, gpus=40)
    assert study(plan=replace(PLAN, answer=smaller)).warnings == ()
    (cheaper,) = study(plan=replace(PLAN, answer=replace(PROVEN, cost_per_hour=200.0))).warnings
    assert cheaper == "H100 tp8 x6 may do, by formula: $58/h less; fleettui verify proves a candidate"
    assert study(plan=replace(PLAN, answer=PROVEN)).warnings == ()
    unknown = f"{UNKNOWN_PAIRING}: 40 to 48 GPUs, the most shown; a trace tells"
    paired = replace(PLAN, demand=DerivedDemand(rate=100.0, arithmetic=""), warnings=(unknown, "bursts"))
    looped = replace(ASKED, demand=Demand(form="concurrency", concurrency=20), slo=Slo(ttft=0.5))
    loop, pairing = pareto_study(paired, looped, FOUND).warnings
    assert loop == "all at 100/s, where a closed loop sends each fleet its own: f plans it"
    assert pairing == unknown


def test_what_is_cheapest_on_hardware_that_nobody_measured_is_told_with_that() -> None:
    """Seen: 24 MI300X for $15/h less, which the plan had set aside, as its kernels were not measured."""
    assert PROVEN is not None
    own = replace(PROVEN, band=(0.8, 1.3), speeds="kernels measured")
    other = weighed(4, 0.3, gpu="mi300x", cost=60.0)
    aside = replace(own, fleet=other.fleet, band=(0.4, 3.0), speeds="kernels not measured")
    plan = replace(PLAN, answer=own, candidates=(own, aside))
    (longest,) = CHEAPEST.fleet.pools
    mixed = Fleet(pools=(*other.fleet.pools, replace(longest, above=longest.up_to, up_to=2 * longest.up_to)))
    found = replace(
        FOUND,
        best=(("cost", other),),
        front=(other, BEND, replace(FASTEST, fleet=mixed)),
    )
    made = study(found, plan)
    assert made.sentences[0] == ("the cheapest: 32 MI300X (MI300X tp8 x4), $60/h, TTFT ~0.30 s (kernels not measured)")
    notes = [str(row["note"]) for row in made.tables[1].records()]
    assert [note.endswith("kernels not measured") for note in notes] == [True, False, True]
    warned = next(one for one in made.warnings if one.startswith("MI300X"))
    assert warned.endswith(" less; kernels not measured")
