"""What makes each fleet of a joint plan as good as sure: more of the same, or a better fleet of another shape."""

from dataclasses import replace

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.joint import JointPlan, SharedLimits
from fleettui.domain.study import StudyTable
from fleettui.domain.surer_together import SureTogether
from fleettui.reports.joint_sure import NOT_SOUGHT, how_sure, is_beyond, sentences, tables
from tests.planning.trials import shape
from tests.reports.test_joint_study import plan

NOMINAL = Confidence(holds=0.5, replicas=(10,), gpus=20, cost=60.0, span=(4, 30))
SURE = Confidence(holds=0.95, replicas=(5, 2), gpus=14, cost=14.0, span=(8, 20))


def made(*known: Confidence) -> JointPlan:
    """Return a joint plan whose workloads are so sure."""
    base = plan()
    pairs = zip(base.planned, known, strict=True)
    planned = [replace(one, plan=replace(one.plan, confidence=sure)) for one, sure in pairs if one.plan is not None]
    return replace(base, planned=tuple(planned))


def sure_table(made: JointPlan) -> StudyTable:
    return next(tables(made))


def test_a_better_fleet_of_another_shape_counts_in_place_of_more_of_the_same() -> None:
    (told, together) = sentences(made(NOMINAL, SURE))
    assert told == "the least sure is chat: 50% sure that 8 GPUs suffice, 90% with ~20 like these (~$60/h)"
    beyond = "beyond the stock of H100 (20 of 8)"  # found: told so of a plan cut short, where 6 A100 + 1 H200 did
    assert together == f"to be 90% sure of each, ~16 A100 + 20 H100 (~$68/h), {beyond}, {NOT_SOUGHT}"
    note = sure_table(made(NOMINAL, SURE)).note
    assert note.endswith("likely: what makes it 90%; that of chat is beyond the stock of H100 (20 of 8)")
    other = SureFleet(fleet=shape(6, gpu="a100").fleet, cost=12.0)
    better = made(replace(NOMINAL, instead=other), SURE)
    (told, together) = sentences(better)
    assert told.endswith(" or ~12 GPUs as A100 tp2 x6 (~$12/h)")
    assert together == "to be 90% sure of each, ~28 A100 (~$20/h), within all limits"
    assert [row[3:] for row in sure_table(better).rows] == [(12, 12.0), (14, 14.0)]
    assert sure_table(better).note.endswith("likely: what makes it 90%")


def test_where_no_number_makes_one_sure_nothing_is_told_of_all() -> None:
    none = replace(NOMINAL, replicas=None, gpus=None, cost=None)
    assert len(sentences(made(none, SURE))) == 1
    other = SureFleet(fleet=shape(6, gpu="a100").fleet, cost=12.0)
    assert len(sentences(made(replace(none, instead=other), SURE))) == 2


def test_whole_nodes_are_paid_for_by_all_together() -> None:
    """12 and 14 A100 at a dollar each fill three nodes of eight but for six GPUs of a fourth."""
    other = SureFleet(fleet=shape(6, gpu="a100").fleet, cost=12.0)
    base = made(replace(NOMINAL, instead=other), SURE)
    limits = replace(base.question.limits, whole_nodes=True)
    (_, together) = sentences(replace(base, question=replace(base.question, limits=limits)))
    assert together.startswith("to be 90% sure of each, ~32 A100 (~$24/h), ")


def test_what_fits_in_the_nodes_that_are_paid_for_costs_nothing_more() -> None:
    """Found: 66 % sure for $72/h, and 90 % about 16 H100 + 32 L40S for $72/h: it was not said that this is free."""
    other = SureFleet(fleet=shape(5, gpu="a100").fleet, cost=10.0)
    base = made(replace(NOMINAL, instead=other), replace(SURE, holds=0.6))
    question = replace(base.question, limits=replace(base.question.limits, whole_nodes=True))
    for paid, told in (
        ((24, 8), " costs nothing more, in the nodes that are paid for: about chat 10 A100, nightly 14 A100"),
        ((16, 16), ", ~24 A100 (~$24/h), within all limits"),
    ):
        paying = replace(base, question=question, joint=replace(base.joint, paid=paid))
        assert sentences(paying)[1] == f"to be 90% sure of each{told}"
    alone = replace(base, joint=replace(base.joint, paid=(24, 8)))
    assert sentences(alone)[1] == "to be 90% sure of each, ~24 A100 (~$24/h), within all limits"


def test_a_share_is_rounded_the_same_in_the_sentence_and_in_the_table() -> None:
    """Seen: "52% sure" in the sentence, 52.9 in the table."""
    found = made(replace(NOMINAL, holds=0.529), SURE)
    assert sentences(found)[0].startswith("the least sure is chat: 52% sure")
    assert sure_table(found).rows[0][2] == 0.52


def test_what_the_limits_give_comes_first_and_what_is_beyond_them_only_where_they_do_not_give_it() -> None:
    """Found: 20 H100 of a stock of 8 were to make it 90 % sure, where 28 A100 within it did."""
    found = made(NOMINAL, SURE)
    assert is_beyond(found)
    fleets = (("chat", shape(6, gpu="a100"), replace(NOMINAL, holds=0.91)), ("nightly", shape(7, gpu="a100"), SURE))
    given = SureTogether(fleets=fleets, gpus=(("a100", 26),), cost=26.0)
    told = sentences(replace(found, surer=given))
    assert told == (
        "the least sure is chat: 50% sure that 8 GPUs suffice",
        "the limits let each be 90% sure, as simulated: 26 A100 ($26/h), planned so with --confidence 90%",
    )
    first, second = tables(replace(found, surer=given))
    assert [row[3] for row in first.rows] == [12, 14]
    assert first.note.endswith("likely: what makes all 90% together, within the limits")
    assert [row[4] for row in second.rows] == [0.91, 0.95]
    less = replace(given, fleets=(("chat", shape(6, gpu="a100"), replace(NOMINAL, holds=0.83)), *fleets[1:]))
    assert sentences(replace(found, surer=less))[1:] == (
        "the limits let each be 83% sure, the surest that was found, as simulated: 26 A100 ($26/h)",
        "to be 90% sure of each, ~16 A100 + 20 H100 (~$68/h), beyond the stock of H100 (20 of 8)",
    )
    none = sentences(replace(found, surer=SureTogether(sought=0.7)))
    assert none[1] == "within the limits none were found of which each is 70% sure, as simulated"


def test_it_is_not_asked_what_the_limits_give_where_they_hold_what_is_as_good_as_sure() -> None:
    few = replace(NOMINAL, replicas=(4,), gpus=8, cost=24.0)
    assert not is_beyond(made(replace(few, holds=0.95), SURE))
    assert not is_beyond(replace(made(NOMINAL, SURE), verdict="fail"))
    free = made(NOMINAL, SURE)
    assert not is_beyond(replace(free, question=replace(free.question, limits=SharedLimits())))
    assert is_beyond(made(few, SURE)), "what they draw is limited, and not known"
    fits = made(few, SURE)
    limits = replace(fits.question.limits, max_power=None)
    assert not is_beyond(replace(fits, question=replace(fits.question, limits=limits)))


def test_a_plan_that_was_to_be_so_sure_says_so_and_nothing_of_what_would_be() -> None:
    found = made(replace(NOMINAL, holds=0.71), SURE)
    entries = (replace(one, question=replace(one.question, confidence=0.7)) for one in found.question.entries)
    asked = replace(found, question=replace(found.question, entries=tuple(entries)))
    assert how_sure(found) == " at nominal speed,"
    assert how_sure(asked) == ", each 70% sure,"
    assert sentences(asked) == ("the least sure is chat: 71% sure that 8 GPUs suffice",)
