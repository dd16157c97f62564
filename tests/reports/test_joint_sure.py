"""What makes each fleet of a joint plan as good as sure: more of the same, or a better fleet of another shape."""

from dataclasses import replace

from fleettui.domain.confidence import Confidence, SureFleet
from fleettui.domain.joint import JointPlan
from fleettui.reports.joint_sure import sentences, sure_table
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


def test_a_better_fleet_of_another_shape_counts_in_place_of_more_of_the_same() -> None:
    (told, together) = sentences(made(NOMINAL, SURE))
    assert told == "the least sure is chat: 50% sure that 8 GPUs suffice, 90% with ~20 like these ($60/h)"
    assert together == "to be 90% sure of each, about 16 A100 + 20 H100 ($68/h), beyond the stock of H100 (20 of 8)"
    note = sure_table(made(NOMINAL, SURE)).note
    assert note.endswith("likely: what makes it 90%; that of chat is beyond the stock of H100 (20 of 8)")
    other = SureFleet(fleet=shape(6, gpu="a100").fleet, cost=12.0)
    better = made(replace(NOMINAL, instead=other), SURE)
    (told, together) = sentences(better)
    assert told.endswith(" or ~12 GPUs as A100 tp2 x6 ($12/h)")
    assert together == "to be 90% sure of each, about 28 A100 ($20/h), within all limits"
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
    assert together.startswith("to be 90% sure of each, about 32 A100 ($24/h), ")


def test_what_fits_in_the_nodes_that_are_paid_for_costs_nothing_more() -> None:
    """Found: 66 % sure for $72/h, and 90 % about 16 H100 + 32 L40S for $72/h: it was not said that this is free."""
    other = SureFleet(fleet=shape(5, gpu="a100").fleet, cost=10.0)
    base = made(replace(NOMINAL, instead=other), replace(SURE, holds=0.6))
    question = replace(base.question, limits=replace(base.question.limits, whole_nodes=True))
    for paid, told in (
        ((24, 8), " costs nothing more, in the nodes that are paid for: about chat 10 A100, nightly 14 A100"),
        ((16, 16), ", about 24 A100 ($24/h), within all limits"),
    ):
        paying = replace(base, question=question, joint=replace(base.joint, paid=paid))
        assert sentences(paying)[1] == f"to be 90% sure of each{told}"
    alone = replace(base, joint=replace(base.joint, paid=(24, 8)))
    assert sentences(alone)[1] == "to be 90% sure of each, about 24 A100 ($24/h), within all limits"


def test_a_share_is_rounded_the_same_in_the_sentence_and_in_the_table() -> None:
    """Seen: "52% sure" in the sentence, 52.9 in the table."""
    found = made(replace(NOMINAL, holds=0.529), SURE)
    assert sentences(found)[0].startswith("the least sure is chat: 52% sure")
    assert sure_table(found).rows[0][2] == 0.52
