from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate, Estimate
from fleettui.domain.scenario import Question
from fleettui.reports.candidates_table import candidate_columns, candidates_table, seen_error
from fleettui.reports.report import alternatives as alternative
from fleettui.reports.report.alternatives import alternatives
from fleettui.reports.report.model import Kept
from fleettui.reports.report.outlook import changes
from tests.reports.conftest import column, simulated, two_pools
from tests.store import samples


def of(handle: str, cost: float, *pools: tuple[str, int], broken: tuple[str, ...] = ()) -> Candidate:
    """Return a candidate with one pool for each (GPU, tp)."""
    made = tuple(
        replace(samples.pool(str(index), gpu, 4096 * index, 4096 * (index + 1), 3), tp=tp)
        for index, (gpu, tp) in enumerate(pools)
    )
    figures = tuple(samples.figures(pool.name) for pool in made)
    return replace(
        samples.candidate(cost=cost, shortfalls=broken), handle=handle, fleet=Fleet(pools=made), pools=figures
    )


def told(kept: Kept, best: Candidate, *others: Candidate) -> list[str]:
    """Return the names of the alternatives."""
    answer = replace(kept.answer, answer=best, candidates=(best, *others))
    return [name for table in alternatives(replace(kept, answer=answer)).tables for name in column(table, "name")]


def test_other_kinds_stand_before_other_shapes_and_those_that_hold_before_the_rest(kept: Kept) -> None:
    best = of("best", 70, ("h100", 8))
    same, shape = of("same", 71, ("h100", 8)), of("shape", 72, ("h100", 4))
    breaks = of("breaks", 60, ("l40s", 8), broken=("TTFT by 31 ms",))
    gpu, pools = of("gpu", 73, ("a100", 8)), of("pools", 74, ("h100", 8), ("h100", 8))
    again = of("again", 75, ("a100", 8))
    assert told(kept, best, breaks, same, shape, gpu, pools, again) == ["gpu", "pools", "shape"]
    assert told(kept, best, breaks, same, gpu, again) == ["gpu", "breaks"]
    assert told(kept, best) == []


def test_what_is_proven_goes_before_what_is_known_as_well_and_that_before_what_is_not(kept: Kept) -> None:
    """Found: three fleets of unmeasured GPUs by formula, and neither a proven one nor other measured GPUs."""
    best = replace(of("best", 70, ("h100", 8)), band=(0.9, 1.1))
    guess = replace(of("guess", 40, ("mi300x", 2)), band=(0.4, 2.4))
    mixed = replace(of("mixed", 45, ("mi300x", 2), ("a100", 2)), band=(0.4, 2.4))
    pools = replace(of("pools", 72, ("h100", 8), ("h100", 8)), band=(0.9, 1.1))
    known = replace(of("known", 80, ("a100", 4)), band=(0.88, 1.12))
    proven = replace(simulated(of("proven", 70, ("h100", 4)), "pass", reason=""), band=(0.9, 1.1))
    assert told(kept, best, guess, mixed, pools, known, proven) == ["proven", "known", "pools"]
    assert told(kept, best, guess, mixed) == ["guess", "mixed"]


def test_each_says_what_it_costs_and_why_it_is_not_the_answer(kept: Kept, question: Question) -> None:
    best = two_pools(cost=71.0)

    def why_not(one: Candidate, best: Candidate, question: Question, tried: tuple[Candidate, ...] = ()) -> str:
        return alternative.why_not(one, replace(kept.answer, answer=best, candidates=(best, one, *tried)), question)

    assert why_not(two_pools("b", cost=74.1), best, question) == "$3.10/h more (4%)"
    slow = replace(two_pools("b", cost=60.0), shortfalls=("P99 TTFT 0.52 s is above 500ms",))
    assert why_not(slow, best, question) == "P99 TTFT 0.52 s is above 500ms"
    failed = simulated(two_pools("b", cost=60.0), "fail", reason="TTFT is 0.6 s")
    assert why_not(failed, best, question) == "TTFT is 0.6 s"
    assert why_not(two_pools("b", cost=70.0), best, question).endswith("not simulated: fleettui verify b")
    surer = replace(question, confidence=0.9)
    unsure = "sized for the step times predicted, not to be 90% sure"
    assert why_not(two_pools("b", cost=70.0), best, surer) == f"cheaper, but {unsure}"
    listed = replace(kept.answer, answer=best, candidates=(best, of("b", 60, ("h100", 4))))
    assert candidates_table(listed, surer).note.endswith(f"; cheaper ones are {unsure}")
    assert "sure" not in candidates_table(listed, question).note
    told = why_not(two_pools("b", cost=70.0), best, question, (best, failed))
    assert "not simulated, and b, the same pools split elsewhere, fails: fleettui verify b" in told
    assert why_not(two_pools("b", cost=71.0), best, question) == "the same cost"
    told = why_not(two_pools("b", cost=71.0), best, question, (best, failed))
    assert told == "the same cost, but not simulated, and b, the same pools split elsewhere, fails"
    assert why_not(replace(best, power=15_000.0), best, question) == "the same cost, 1.0 kW more"
    larger = replace(two_pools("b", cost=72.0), gpus=best.gpus + 8)
    assert why_not(larger, best, replace(question, objective="gpus")) == "$1.00/h more (1%), 8 GPUs more"

    slower = replace(two_pools("b", cost=71.0), pools=tuple(replace(one, ttft=9.0) for one in best.pools))
    assert why_not(slower, best, question).startswith("the same cost, TTFT ")
    doubted = "the same cost, but not simulated, and with the error seen on such replicas TTFT is ~9.0 s"
    assert why_not(slower, simulated(best), question) == doubted


def test_of_a_cheaper_one_it_is_told_what_the_error_of_simulated_replicas_makes_of_it(
    kept: Kept, question: Question
) -> None:
    best, limit = simulated(two_pools(cost=71.0)), question.slo.ttft
    assert best.simulation is not None
    assert limit is not None
    other = two_pools("b", cost=60.0)
    near = replace(other, pools=tuple(replace(one, ttft=0.99 * limit) for one in other.pools))
    formula = max(one.ttft for one in best.pools)
    late = tuple(replace(one, ttft=Estimate(value=1.5 * formula), verdict="pass") for one in best.simulation.pools)
    errs = replace(best, evidence=replace(best.simulation, pools=late))
    answer = replace(kept.answer, answer=errs, candidates=(errs, near))
    told = alternative.why_not(near, answer, question)
    assert "not simulated, and with the error seen on such replicas TTFT is ~" in told
    first, *others = near.fleet.pools
    fewer = replace(near, fleet=replace(near.fleet, pools=(replace(first, replicas=first.replicas - 1), *others)))
    note = candidates_table(replace(answer, candidates=(errs, fewer)), question).note
    assert note.endswith(f"; b, by the error seen on such replicas: {seen_error(fewer, answer, question)}")
    half = replace(near, fleet=replace(near.fleet, pools=(replace(first, tp=8), *others)))
    assert "error seen" in alternative.why_not(half, answer, question), "one pool's error is enough"
    unlike = replace(near, fleet=replace(near.fleet, pools=tuple(replace(one, tp=8) for one in near.fleet.pools)))
    assert "error" not in alternative.why_not(unlike, answer, question), "of other replicas nothing was seen"
    assert "error" not in candidates_table(replace(answer, candidates=(errs, unlike)), question).note


def test_figures_of_the_formula_are_marked(kept: Kept, proved: Kept) -> None:
    (table,) = alternatives(kept).tables
    assert all(text.startswith("~") for text in column(table, "P99 TTFT"))
    assert table.note.startswith("~ by formula")
    (table,) = alternatives(proved).tables
    assert column(table, "P99 TTFT") == ["0.61 s"]
    assert "~" not in table.note


def test_its_columns_are_those_declared_for_the_report_and_why_not(kept: Kept) -> None:
    (table,) = alternatives(kept).tables
    declared = candidate_columns(kept.scenario.question, kept.answer.answer)
    declared_titles = [one.head.title for one in declared if one.head is not None and "report" in one.pages]
    assert [one.title for one in table.columns] == [*declared_titles, "why not"]
    assert {"fleet", "GPUs", "cost", "P99 TTFT"} <= set(declared_titles)


def test_no_fleet_has_the_nearest(infeasible: Kept) -> None:
    section = alternatives(infeasible)
    assert section.title.startswith("The nearest")
    assert len(section.tables[0].rows) == 3


def test_what_may_be_cheaper_is_told_beside_the_alternatives(kept: Kept) -> None:
    reason = "mi300x may be cheaper: $7.96/h by formula, ~$15.92/h beside ~$9.00/h to be 90% sure: a measurement"
    best, other = of("best", 70, ("h100", 8)), of("other", 71, ("a100", 8))
    for candidates in ((best,), (best, other)):
        answer = replace(kept.answer, answer=best, candidates=candidates, why=("prefill decides", reason))
        said = alternatives(replace(kept, answer=answer)).sentences
        assert said[0] == f"MI300X{reason.removeprefix('mi300x')}."
        assert "Prefill decides." not in said


def test_gpu_types_that_alone_are_as_sure_are_written_as_all_others(kept: Kept) -> None:
    """Found: H200 with MI300X may be cheaper: ..., mi300x alone $15.92/h."""
    costs = "$9.94/h as simulated, 67% sure, {} alone ~$15.92/h beside ~$15.84/h to be 90% sure (a guess)"
    reason = f"h200 with mi300x may be cheaper: {costs.format('mi300x')}"
    said = alternatives(replace(kept, answer=replace(kept.answer, why=(reason,)))).sentences
    assert said[0] == f"H200 with MI300X may be cheaper: {costs.format('MI300X')}."


def test_what_was_simulated_beside_the_answers_gpus_is_told_with_the_alternatives(kept: Kept) -> None:
    """Found: H100 tp2 x4 at $23.60/h listed, and a simulated fleet at $22.95/h under what would change this."""
    told = "next without h100, as simulated: A100 tp1 x1 + H200 tp1 x5, $22.95/h beside $7.96/h (+188%)"
    compared = replace(kept, answer=replace(kept.answer, why=("pool all: TTFT", told)))
    assert alternatives(compared).sentences[:1] == (f"N{told[1:]}.",)
    assert not any("without h100" in one for one in changes(compared).sentences)
