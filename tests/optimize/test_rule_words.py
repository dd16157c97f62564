"""What an engine does where nobody sets anything, in words."""

from dataclasses import replace

from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.hardware import catalog
from fleettui.hardware.profile import build_profile
from fleettui.optimize.rule_words import memory_words, rule_words

ASKED = Question(workload="x", slo=Slo(ttft=1.0))


def test_memory_is_said_with_what_it_is_a_share_of() -> None:
    gpu, model = catalog.gpu("h100"), catalog.model("llama-3.1-8b")
    said = [
        memory_words(build_profile(gpu, model, dtype="bf16", tp=1, engine=engine))
        for engine in ("vllm", "sglang", "trtllm")
    ]
    assert said == ["90% of memory", "83% of memory but for activations", "90% of free memory"]


def test_kept_prefixes_are_said_and_whether_a_question_counts_their_hits() -> None:
    assert [*rule_words(ASKED)] == ["prefixes kept, no hits counted"]
    for counted in (replace(ASKED, prefix_hit=0.3), replace(ASKED, prefix_cache=True)):
        assert [*rule_words(counted)] == ["prefixes kept"]
