"""The sentence on an answer of hardware that the own fit has not seen."""

from dataclasses import replace

from fleettui.domain.beside_unseen import BesideUnseen
from fleettui.domain.plan import Candidate
from tests.domain.test_unseen import ASKED, PRODUCTION
from tests.optimize.test_fit_words import fleet
from tests.planning.trials import evidence
from tests.store import samples


def costing(cost: float, *tps: int, simulated: bool = True) -> Candidate:
    proof = evidence("pass") if simulated else None
    return replace(samples.candidate(), fleet=fleet(*tps), cost_per_hour=cost, evidence=proof)


ANSWER, SEEN, WIDER = costing(59.0, 8), costing(153.4, 4), costing(94.4, 2, simulated=False)


def test_it_says_what_was_seen_comes_to_and_what_would_be_were_the_fit_right_for_all() -> None:
    told = BesideUnseen(answer=ANSWER, seen=SEEN, gpus=("h100",), wider=WIDER)
    assert told.told(replace(ASKED, fit=PRODUCTION)) == (
        "steps of h100 tp8 not corrected: own fit prod has seen none; of what it has H100 tp4 x3 holds, as simulated: "
        "$153.40/h beside $59.00/h; if all H100 are so, as is likely, H100 tp2 x3 holds, by formula: $94.40/h"
    )
    assert replace(told, wider=SEEN).told(ASKED).endswith("beside $59.00/h; if all H100 are so, as is likely, the same")


def test_it_says_where_nothing_was_seen_to_hold() -> None:
    assert BesideUnseen(answer=ANSWER, seen=None).told(ASKED) == (
        "steps of h100 tp8 not fitted: own fit prod has seen none; of what it has no fleet was seen to hold"
    )
