"""Decode replicas whose attention and feed-forward layers have GPUs of their own: memory, times, profile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fleettui.domain.afd import AfdLayout
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.hardware.afd import TRANSFER_LATENCY, AfdReplica
from fleettui.hardware.fit import DoesNotFit
from fleettui.hardware.memory import NCCL_BYTES, activation_bytes
from fleettui.hardware.profile import build_profile
from fleettui.hardware.step_cost import step_time
from fleettui.hardware.weights import weights_of

H100, H20 = catalog.gpu("h100"), catalog.gpu("h20")
DENSE, SPARSE = catalog.model("llama-3.1-70b"), catalog.model("qwen3-235b-a22b")
CONTEXT = 2000.0


def replica(text: str = "tp2dp4/tp8", model: str = DENSE.name, *, network: float = 50e9) -> AfdReplica:
    return AfdReplica(
        model=catalog.model(model),
        dtype="bf16",
        kv_dtype="bf16",
        attention_gpu=H100,
        feed_forward_gpu=H100,
        layout=AfdLayout.read(text),
        network=network,
        engine=catalog.engine("vllm"),
    )


@pytest.mark.parametrize(("text", "model"), [("tp2dp4/tp8", DENSE.name), ("tp4/ep8", SPARSE.name)])
def test_both_roles_together_hold_every_weight_once_for_each_lane(text: str, model: str) -> None:
    one, beside = replica(text, model), activation_bytes(catalog.model(model))
    layout, held = one.layout, weights_of(H100, one.model, "bf16").held
    first, then = one.role_bytes
    first -= beside + NCCL_BYTES[layout.attention_tp]
    then -= beside + NCCL_BYTES[layout.feed_forward_gpus]
    assert first * layout.attention_tp + then * layout.feed_forward_gpus == pytest.approx(held)


def test_lanes_add_their_blocks() -> None:
    assert replica("tp2dp4/tp8").blocks == 4 * replica("tp2/tp8").blocks


def test_the_table_is_the_closed_form_at_its_context_and_no_faster_below_it() -> None:
    one = replica()
    step = one.step(CONTEXT)
    counts = np.array([step.sequences[place] for place in (3, 8, 14, 18)])
    beside = step.overhead + one.engine.terms.sampling(one.model) * counts
    heads = np.array([float(one.laws[0].head(count / 4)) for count in counts])
    for share in (0.25, 0.5, 1.0):
        found = step_time(step, decodes=counts, context_tokens=counts * share * CONTEXT) - beside - heads
        exact = one.seconds(counts, counts, share * CONTEXT)
        assert (found >= exact * 0.995).all()
        if share == 1.0:
            assert found == pytest.approx(exact, rel=0.02)


def test_the_attention_role_alone_reads_the_cache() -> None:
    one = replica()
    short, long = one.times(256.0, 256.0, 1000.0), one.times(256.0, 256.0, 9000.0)
    assert float(long.attention) > 1.5 * float(short.attention)
    assert float(long.feed_forward) == float(short.feed_forward)


def test_a_faster_network_and_a_slower_gpu_show_where_they_are() -> None:
    fast, slow = replica(network=400e9), replica(network=5e9)
    assert float(fast.seconds(512, 512, CONTEXT)) < float(slow.seconds(512, 512, CONTEXT))
    assert float(fast.times(512.0).transfer) > TRANSFER_LATENCY
    cheaper = replace(fast, feed_forward_gpu=H20)
    assert float(cheaper.times(512.0).feed_forward) > 2.0 * float(fast.times(512.0).feed_forward)
    assert float(cheaper.times(512.0).attention) == float(fast.times(512.0).attention)


def test_a_profile_counts_both_roles() -> None:
    like = build_profile(H100, DENSE, dtype="bf16", tp=8, step_law="kernels")
    found = replace(replica("tp2dp4/tp4"), feed_forward_gpu=H20).profile(like, (4.0, 1.0), CONTEXT)
    assert (found.gpus_per_replica, found.price_per_hour) == (12, pytest.approx(3.0))
    assert found.kv_blocks == replica("tp2dp4/tp4").blocks
    assert found.settings.max_num_seqs == 4 * like.settings.max_num_seqs
    assert found.bandwidth == 8 * H100.bandwidth + 4 * H20.bandwidth
    assert found.front_end == like.front_end


def test_what_does_not_fit_is_refused_by_role() -> None:
    with pytest.raises(DoesNotFit, match="feed-forward role of llama-3"):
        replica("tp8/tp8", "llama-3.1-405b")
    with pytest.raises(DoesNotFit, match="attention role of llama-3"):
        replica("tp1/tp8", "llama-3.1-405b")
    with pytest.raises(InputError, match="no experts"):
        replica("tp8/ep8")
    with pytest.raises(InputError, match="keep a state"):
        replica("tp2/ep8", "qwen3.5-397b-a17b")
