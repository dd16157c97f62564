"""What advice carries beside its sentence."""

from dataclasses import replace

from fleettui.domain.advice import MUST_KNOW, ONE_POOL, Advice, advised_budget, told_once
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo

ASKED = Question(slo=Slo(ttft=0.5))


def advice(question: Question, words: str) -> Advice:
    return Advice(question=question, rate=10.0, found=None, saves=True, words=words)


def test_a_token_budget_that_is_advised_is_known_without_its_sentence() -> None:
    looser = advice(replace(ASKED, slo=Slo(ttft=0.55)), "a looser limit, --slo-ttft 0.55s")
    more, most = (advice(replace(ASKED, token_budget=tokens), "whatever it says") for tokens in (4096, 8192))
    assert advised_budget([looser, more, most], ASKED) == 4096
    assert advised_budget([looser], ASKED) is None
    typed = replace(ASKED, token_budget=2048)
    assert advised_budget([advice(replace(typed, slo=Slo(ttft=0.55)), "")], typed) is None, "it is the question's own"


def test_what_one_pool_takes_is_told_once() -> None:
    """Found: "4 GPUs, $1.46/h more", which fail, among the reasons, and $2.16/h more among the warnings."""
    why = ("pool short: TTFT", "one pool instead of two pools, by formula: 4 GPUs, $1.46/h more")
    router = f"router length{MUST_KNOW}"
    assert told_once(why, (router,)) == why
    assert told_once(why, ("pool short has one replica", f"{router}{ONE_POOL}~$2.16/h more")) == why[:1]
