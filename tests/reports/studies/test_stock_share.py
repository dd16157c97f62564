from dataclasses import replace

from fleettui.domain.carried import Carried, CarriedTogether
from fleettui.domain.joint import Entry, JointAsked, JointQuestion, SharedLimits
from fleettui.domain.study import Study
from fleettui.reports.studies.stock_share import shared_stock_study
from fleettui.reports.study_text import study_text
from tests.store import samples

JOINT = Study(kind="joint", handle="77aa", title="Joint plan j", question="chat, rag; least cost", seed=3)
LIMITS = SharedLimits(max_gpus=(("h100", 9),), budget=60.0, whole_nodes=True)
ENTRIES = tuple(Entry(name=name, question=replace(samples.question(), max_gpus=())) for name in ("chat", "rag"))
ASKED = JointAsked(question=JointQuestion(name="j", entries=ENTRIES, limits=LIMITS), rates=(12.0, 25.0))
WITHIN = "within $60.00/h and 9 H100 in whole nodes"


def together(share: float) -> CarriedTogether:
    fleets = [
        (name, Carried(rate=rate * share, fleet=samples.candidate(2), confidence=samples.sure(sure)))
        for name, rate, sure in (("chat", 12.0, 0.95), ("rag", 25.0, 0.6))
    ]
    return CarriedTogether(share=share, fleets=tuple(fleets), gpus=(("h100", 8),), cost=24.0)


def test_the_greatest_share_and_the_next_that_is_not_carried_are_told() -> None:
    seen = [together(0.8203), together(0.8535), CarriedTogether(share=0.8706), CarriedTogether(share=0.9804)]
    study = shared_stock_study(JOINT, ASKED, seen)
    carry, fails, sure = study.sentences
    assert carry == (
        f"{WITHIN} fleets carry up to 85.3% of the mix of joint plan 77aa as simulated: chat 10.24/s, rag 21.33/s; "
        "8 H100, $24/h"
    )
    assert fails == f"at 87% of it none {WITHIN} were shown to hold, as simulated"
    assert sure.startswith("the least sure there is rag: ~60% sure that ")
    assert [row[1] for row in study.tables[1].rows] == ["fleets hold"] * 2 + ["none were shown to hold"] * 2
    assert [row[2] for row in study.tables[0].rows] == [0.8535 - 1.0] * 2
    assert (study.seed, study.question) == (3, "capacity 77aa")
    assert "all rates grow by one factor" in study_text(study)
    above = shared_stock_study(JOINT, ASKED, seen[:2])
    assert above.sentences[1].startswith("at 100% of it none within"), "of which the joint plan says so"


def test_where_no_share_is_carried_that_is_told() -> None:
    study = shared_stock_study(JOINT, ASKED, [CarriedTogether(share=0.01)])
    assert study.sentences == (
        f"{WITHIN} no fleets hold every limit at any share of the mix that was tried, as simulated",
    )
    assert len(study.tables) == 1
