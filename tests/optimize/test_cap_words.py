"""What is said of capped GPUs."""

from dataclasses import replace

from fleettui.hardware import catalog
from fleettui.hardware.power_cap import capped
from fleettui.hardware.profile import build_profile
from fleettui.optimize.cap_words import capped_words
from tests.optimize.samples import profile


def test_each_kind_of_replica_says_once_how_much_longer_its_steps_are() -> None:
    own = build_profile(catalog.gpu("h100"), catalog.model("llama-3.1-70b"), dtype="bf16", tp=8, step_law="kernels")
    (said,) = capped_words([capped(own, 490.0), capped(own, 490.0), own, profile()])
    assert said == "h100 capped at 490 of 700 W: prompts take 1.17 times as long, decodes 1.00 times"
    (deep,) = capped_words([capped(own, 300.0)])
    assert deep.endswith("; below half of its limit no public run shows this: extrapolated")
    assert capped_words([replace(own), profile()]) == ()
