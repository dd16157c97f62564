import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fleettui.domain.bounds import Bounds
from fleettui.domain.layout import layout
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.model import HandoffFile, Subject
from fleettui.reports.handoff.servers import SERVERS
from tests.reports.handoff import argument_lists, yaml_files
from tests.reports.handoff.plans import PLANS, kept, subject

PROGRAMS = {"vllm": "vllm", "sglang": "python3", "trtllm": "trtllm-serve"}
TOLD = '#!/bin/sh\nprintf "%s\\0" "$@"\n'
MODEL = "a model's; path"


def files_of(deployed: Subject) -> tuple[HandoffFile, ...]:
    return FORMATS.named(deployed.engine.name).write(deployed)


def started(folder: Path, file: HandoffFile, program: str, **more: str) -> list[str]:
    """Return the words with which a script starts a program, which here only tells them."""
    (folder / program).write_text(TOLD, "utf-8")
    (folder / program).chmod(0o755)
    script = folder / file.name
    script.write_text(file.text, "utf-8")
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "MODEL": MODEL, **more}
    ended = subprocess.run(
        ("bash", str(script)), env=environment, cwd=folder, capture_output=True, text=True, check=True, timeout=30
    )
    return ended.stdout.split("\0")[:-1]


@pytest.mark.parametrize("name", SERVERS.names)
def test_arguments_are_listed_of_the_version_of_the_catalogue(name: str) -> None:
    listed = argument_lists.listed(name)
    assert listed["version"] == catalog.engine(name).version
    assert listed["source"]


@pytest.mark.parametrize("name", PLANS)
def test_every_script_starts_its_server_as_planned(name: str, tmp_path: Path) -> None:
    deployed = subject(name)
    engine = deployed.engine.name
    scripts = [one for one in files_of(deployed) if one.name.endswith(".sh")]
    assert len(scripts) == len(deployed.pools)
    for part, file in zip(deployed.pools, scripts, strict=True):
        words = started(tmp_path, file, PROGRAMS[engine], RANK="1", FIRST="10.0.0.1")
        assert MODEL in words
        found = vars(argument_lists.parser(engine).parse_args(words[words.index("--host") :]))
        pool = part.pool
        sequences, budget, longest = {
            "vllm": ("--max-num-seqs", "--max-num-batched-tokens", "--max-model-len"),
            "sglang": ("--max-running-requests", "--chunked-prefill-size", "--context-length"),
            "trtllm": ("--max_batch_size", "--max_num_tokens", "--max_seq_len"),
        }[engine]
        figures = tuple(int(found[one]) for one in (sequences, budget, longest))
        assert figures == (pool.max_num_seqs, pool.token_budget, pool.context)
        divided = [one for one in ("--tensor-parallel-size", "--tensor_parallel_size") if found.get(one)]
        assert [found[one] for one in divided] == [str(pool.tp)]
        stages = found.get("--pipeline-parallel-size") or found.get("--pipeline_parallel_size") or "1"
        assert stages == str(pool.pp)
        if part.nodes > 1:
            assert (found["--nnodes"], found["--node-rank"]) == ("2", "1")
            assert "10.0.0.1" in (found.get("--master-addr") or found["--dist-init-addr"])


def test_the_first_node_answers_and_the_others_follow(tmp_path: Path) -> None:
    (file,) = files_of(subject("nodes"))
    ranked = {rank: started(tmp_path, file, "vllm", RANK=rank, FIRST="first") for rank in ("0", "1")}
    assert "--headless" not in ranked["0"]
    assert "--headless" in ranked["1"]


def test_each_argument_stands_below_its_reason() -> None:
    file = files_of(subject("two pools"))[0]
    lines = [line.strip() for line in file.text.splitlines()]
    arguments = [place for place, line in enumerate(lines) if line.startswith("--")]
    assert len(arguments) > 10
    assert all(lines[place - 1].startswith("# ") for place in arguments)
    assert "one replica: start 3 of them" in file.text
    assert "Not known here: the weights" in file.text


def test_numbers_of_weights_and_cache_are_told_to_the_server() -> None:
    plain, dear = (files_of(subject(name))[0].text for name in ("sglang", "experts"))
    assert "--dtype bfloat16" in plain
    assert "--kv-cache-dtype auto" in plain
    assert "--enable-mixed-chunk" not in plain
    assert "--enable-expert-parallel" in dear
    assert "--kv-cache-dtype fp8" in dear
    assert "the weights at MODEL must be in fp8-block" in dear
    assert "the plan counts 50% of the prompt tokens" in dear
    assert "--quantization fp8" in files_of(subject("two pools"))[0].text


def test_what_has_no_argument_is_an_option_of_tensorrt(tmp_path: Path) -> None:
    script, options = files_of(subject("trtllm"))[:2]
    words = started(tmp_path, script, "trtllm-serve")
    assert words[-1].endswith(options.name)
    read = yaml_files.load(options.text)
    assert read["kv_cache_config"]["max_tokens"] == 65_536 * 16
    assert read["kv_cache_config"]["dtype"] == "fp8"
    assert read["scheduler_config"] == {"capacity_scheduler_policy": "MAX_UTILIZATION"}


def test_a_class_behind_the_others_is_one_of_the_servers_priorities_where_that_is_written() -> None:
    (file, *_) = files_of(Subject.of(kept(batch_share=0.3)))
    assert "  --scheduling-policy priority" in file.text.splitlines()
    assert argument_lists.listed("vllm")["arguments"]["--scheduling-policy"] == "value"
    (other, *_) = files_of(Subject.of(kept(engine="sglang", batch_share=0.3)))
    text = " ".join(other.text.replace("\n#  ", "").split())
    assert "WARNING: in the plan 30% of the requests wait behind the others: not written here for sglang" in text


def laid_out(server: str, text: str) -> dict[str, str | None]:
    """Return the arguments of a server whose one pool is divided by a layout."""
    said = layout(text)
    deployed = subject("one pool")
    own = {"attention_dp": said.attention_dp > 1, "expert_parallel": said.feed_forward_ep > 1, "layout": said.within}
    part = replace(deployed.pools[0], pool=replace(deployed.pools[0].pool, tp=said.gpus, **own))  # type: ignore[arg-type]
    found = SERVERS.named(server)
    told = {one.name: one.value for one in found.arguments(deployed, part)}
    listed = argument_lists.listed(server)["arguments"]
    assert told.keys() <= listed.keys()
    settings = found.settings(deployed, part) if found.settings else {}
    return told | {f"set {name}": str(value) for name, value in settings.items()}


def test_lanes_and_groups_of_a_layout_are_those_of_the_server() -> None:
    one = laid_out("sglang", "tp2dp4/tp4ep2")
    assert (one["--tensor-parallel-size"], one["--dp-size"], one["--expert-parallel-size"]) == ("8", "4", "2")
    assert "--enable-dp-attention" in one
    one = laid_out("vllm", "tp2dp4/ep8")
    assert (one["--tensor-parallel-size"], one["--data-parallel-size"]) == ("2", "4")
    assert "--enable-expert-parallel" in one
    one = laid_out("trtllm", "dp8/tp2ep4")
    assert (one["--tensor_parallel_size"], one["--moe_expert_parallel_size"]) == ("8", "4")
    assert one["set enable_attention_dp"] == "True"
    plain = [laid_out(server, "tp8/tp8").keys() for server in SERVERS.names]
    assert not any({"--dp-size", "--data-parallel-size", "set enable_attention_dp"} & one for one in plain)


def test_what_a_server_does_not_divide_so_is_refused() -> None:
    with pytest.raises(InputError, match="vLLM spreads experts over all GPUs"):
        laid_out("vllm", "tp8/tp2ep4")
    with pytest.raises(InputError, match="lanes of TensorRT-LLM have one GPU each"):
        laid_out("trtllm", "tp2dp4/ep8")


def told(name: str) -> dict[str, tuple[str, ...]]:
    """Return the arguments of the first pool of a plan, each with its values."""
    deployed = subject(name)
    server = SERVERS.named(deployed.engine.name)
    return {one.name: one.words[1:] for one in server.arguments(deployed, deployed.pools[0])}


def test_a_memory_beside_the_caches_is_set_of_a_gpu_or_of_all() -> None:
    vllm, sglang = told("beside"), told("sglang beside")
    tp = subject("beside").pools[0].pool.tp
    assert float(vllm["--kv-offloading-size"][0]) == pytest.approx(100e9 * tp / 2**30, abs=0.05)
    assert vllm["--kv-offloading-backend"] == ("native",)
    assert (sglang["--enable-hierarchical-cache"], sglang["--hicache-size"]) == ((), ("100",))
    options = yaml_files.load(files_of(subject("trtllm beside"))[1].text)
    assert options["kv_cache_config"]["host_cache_size"] == 100_000_000_000
    assert not {"--kv-offloading-size", "--compilation-config"} & told("two pools").keys()
    (text, *_) = files_of(subject("beside"))
    assert "the plan counts on 25 GB/s of each one's way there: measure it" in " ".join(
        text.text.replace("#  ", "").split()
    )


def test_graph_bins_are_set_where_they_are_not_the_engines_own() -> None:
    ladder = [1, 2, 4, 8, 16, 24, 32]
    (how,) = told("beside")["--compilation-config"]
    assert json.loads(how) == {"cudagraph_capture_sizes": ladder, "cudagraph_mode": "FULL_DECODE_ONLY"}
    sglang = told("sglang beside")
    assert sglang["--cuda-graph-bs"] == tuple(map(str, ladder))
    assert "--enable-piecewise-cuda-graph" in sglang
    options = yaml_files.load(files_of(subject("trtllm beside"))[1].text)
    assert options["cuda_graph_config"] == {"batch_sizes": [1, 2, 4], "enable_padding": True}


def test_the_share_of_prefixes_that_a_simulation_found_is_told_to_whoever_deploys_it() -> None:
    plain = subject("beside")
    part = plain.pools[0]
    assert part.seen is not None
    seen = replace(part, seen=replace(part.seen, hit=0.42))
    reasons = [
        next(one.reason for one in SERVERS.named("vllm").arguments(plain, one) if "prefix" in one.name)
        for one in (part, seen)
    ]
    assert reasons[0].endswith("the plan counts 0% of the prompt tokens as found in the cache")
    assert reasons[1].endswith("the plan's simulation found 42% of the prompt tokens")


def test_as_many_may_wait_as_planned_where_a_server_bounds_them() -> None:
    server = SERVERS.named("sglang")
    deployed = Subject.of(kept(engine="sglang", bounds=Bounds(queue=200)))
    told = {one.name: one.value for one in server.arguments(deployed, deployed.pools[0])}
    assert told["--max-queued-requests"] == "200"
