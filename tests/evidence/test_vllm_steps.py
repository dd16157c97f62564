"""The step law and the memory of a replica agree with a vLLM server that was measured for them."""

from tests.evidence import vllm_steps


def test_steps_caches_and_attention_agree_with_a_measured_server() -> None:
    assert vllm_steps.main() == 0
