"""Every file that fleettui reads: a valid text of it, and what reads it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory

from store import Store
from tests.store import samples

Read = Callable[[Path], object]
QUESTION = """\
workload: azure-2023-conv
rate: 100/s
slo-ttft: 500ms
model: llama-3.1-70b
gpu: [h100, a100]
price: {h100: 2.1, a100: 1.3}
max-gpus: {h100: 64}
budget: 300/h
limit: [ttft.p50=300ms, tpot.p50=40ms]
gamma: 1:1.5
"""
JOINT = """\
name: spring
max-gpus: {h100: 64, a100: 40}
budget: 300/h
workloads:
  - name: chat
    class: interactive
    workload: azure-2023-conv
    rate: 5/s
    slo-ttft: 500ms
  - name: nightly
    class: batch
    workload: arxiv-summarization
    tokens: 1B/day
    slo-e2e: 5min
"""
FLEET = """\
fleet:
  router: length
  gamma: 1.2
  pools:
    - {gpu: h100, model: llama-3.1-70b, tp: 4, replicas: 6, up_to: 4096}
    - {gpu: a100, model: llama-3.1-70b, tp: 8, replicas: 2, spares: 1, context: 32768}
question:
  rate: 100/s
  slo-ttft: 500ms
"""
SETTINGS = 'model = "qwen3-32b"\nprice = "h100=2.1"\ncluster = "tcp://10.0.0.1:8786"\nworkers = 2\nschema = 2\n'
RUNS = """\
model,gpu,precision,engine,prompt_tokens,output_tokens,concurrency,tp,ttft_ms,tpot_ms
llama-3.1-70b,h100,fp8,vllm,1024,128,16,4,120.5,22.1
llama-3.1-70b,h100,fp8,vllm,1024,128,32,4,180,27
"""
BENCH = json.dumps(
    {
        "model_id": "llama-3.1-70b",
        "gpu": "h100",
        "dtype": "fp8",
        "engine": "vllm",
        "tp": 4,
        "completed": 200,
        "total_input_tokens": 204800,
        "total_output_tokens": 25600,
        "max_concurrency": 16,
        "request_rate": "inf",
        "duration": 61.5,
        "mean_ttft_ms": 120.5,
        "median_ttft_ms": 100.0,
        "mean_tpot_ms": 22.1,
        "output_throughput": 416.0,
    }
)
SCRAPE = """\
# TYPE vllm:request_prompt_tokens histogram
vllm:request_prompt_tokens_bucket{engine="0",le="100.0",model_name="m"} 3.0
vllm:request_prompt_tokens_bucket{engine="0",le="+Inf",model_name="m"} 5.0
vllm:request_prompt_tokens_count{engine="0",model_name="m"} 5.0
vllm:request_prompt_tokens_sum{engine="0",model_name="m"} 900.0
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 58.0 1790000000250
"""
CONFIG = json.dumps(
    {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 8192,
        "intermediate_size": 28672,
        "num_attention_heads": 64,
        "num_hidden_layers": 80,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
        "max_position_embeddings": 131072,
        "torch_dtype": "bfloat16",
        "rope_scaling": {"factor": 8.0, "rope_type": "llama3"},
        "quantization_config": {"quant_method": "fp8", "ignore": ["lm_head"]},
    }
)
PREFIXES = """\
{"timestamp": 0, "input_length": 1600, "output_length": 5, "hash_ids": [0, 1, 2, 3]}
{"timestamp": 3000, "input_length": 1500, "output_length": 5, "hash_ids": [0, 1, 7]}
"""
SESSIONS = """\
arrival_s,input_tokens,output_tokens,session_id
0,100,20,a
5,150,20,a
6,100,10,b
"""
PROMPTS = (
    '{"prompt": "The first. The second.", "output_tokens": 64}\n{"messages": [{"role": "user", "content": "a"}]}\n'
)


@dataclass(frozen=True, slots=True)
class Document:
    """A kind of file: a valid text of it, how its name ends, and what reads it."""

    text: bytes
    suffix: str
    read: Read


@cache
def documents() -> Mapping[str, Document]:
    """Return every kind of file by its name."""
    found = {
        "question": Document(QUESTION.encode(), ".yaml", _question),
        "question JSON": Document(
            b'{"workload": "azure-2023-conv", "rate": "100/s", "slo-ttft": "1s"}', ".json", _question
        ),
        "joint question": Document(JOINT.encode(), ".yaml", _joint),
        "fleet": Document(FLEET.encode(), ".yaml", _fleet),
        "settings": Document(SETTINGS.encode(), ".toml", _settings),
        "GPU": Document(
            _shipped("fleettui.hardware", "catalog", "gpus", "h100.toml").replace(b'"h100"', b'"mine"'), ".toml", _gpu
        ),
        "model": Document(CONFIG.encode(), ".json", _model),
        "prices": Document(b"".join(_prices()), ".csv", _prices_of),
        "runs": Document(RUNS.encode(), ".csv", _runs),
        "vllm bench": Document(BENCH.encode(), ".json", _runs),
        "scrape": Document(SCRAPE.encode(), ".txt", _scrape),
        "day": Document(b"start,end,rate\n00:00,08:30,2/s\n08:30,24:00,4\n", ".csv", _day),
        "distribution": Document(_shipped("cdfs", "azure-paper.json"), ".json", _workload),
        "prefixes": Document(PREFIXES.encode(), ".jsonl", _sharing),
        "sessions": Document(SESSIONS.encode(), ".csv", _in_sessions),
        "prompts": Document(PROMPTS.encode(), ".jsonl", _prompts),
        "plan": Document(_plan(), ".json", _plan_of),
        "bundle": Document(_bundle(), ".fleet", _take_in),
    }
    return found | dict(_traces())


def _shipped(package: str, *names: str) -> bytes:
    return resources.files(package).joinpath(*names).read_bytes()


def _prices() -> list[bytes]:
    return _shipped("fleettui.hardware", "catalog", "prices.csv").splitlines(keepends=True)[:6]


def _traces() -> Iterator[tuple[str, Document]]:
    from fleettui.workloads.formats import FORMATS
    from fleettui.workloads.formats.base import TraceFormat

    for one in FORMATS:
        if isinstance(one, TraceFormat):
            yield f"{one.name} trace", Document(one.sample.encode(), ".csv", _workload)


@cache
def _kept() -> tuple[bytes, bytes]:
    """Return a plan's JSON and its bundle."""
    from fleettui.planning.plan_files import kept_json

    with TemporaryDirectory() as folder, Store.open(Path(folder) / "data" / "fleettui.db") as store:
        plan = samples.prove(store).plan
        return json.dumps(kept_json(store, plan.id)).encode(), store.bundle([plan.id])


def _plan() -> bytes:
    return _kept()[0]


def _bundle() -> bytes:
    return _kept()[1]


def _question(path: Path) -> object:
    from fleettui.cli import ask_question
    from fleettui.reports.question import conversion

    _, values = ask_question.values({}, ask_question.read(str(path)))
    return conversion.to_question(values)


def _joint(path: Path) -> object:
    from fleettui.cli import ask_question, joint
    from fleettui.planning import settings

    filed = ask_question.read(str(path))
    return joint.is_joint(filed) and joint.read({}, filed, settings.settings())


def _fleet(path: Path) -> object:
    from fleettui.planning.fleet_files import read_fleet

    return read_fleet(str(path))


def _settings(path: Path) -> object:
    from fleettui.planning import settings

    before = os.environ.get("FLEETTUI_CONFIG")
    os.environ["FLEETTUI_CONFIG"] = str(path)
    try:
        chosen = settings.settings()
        return settings.workers(chosen), settings.cluster(chosen), settings.schema(chosen), settings.also(chosen)
    finally:
        os.environ.pop("FLEETTUI_CONFIG") if before is None else os.environ.update(FLEETTUI_CONFIG=before)


def _gpu(path: Path) -> object:
    from fleettui.hardware import catalog

    return catalog.gpu(str(path))


def _model(path: Path) -> object:
    from fleettui.hardware.model_config import read_model

    return read_model(path)


def _prices_of(path: Path) -> object:
    from fleettui.hardware.price_list import offers

    return offers(str(path))


def _runs(path: Path) -> object:
    from fleettui.hardware.measured import read_points

    return read_points(path)


def _scrape(path: Path) -> object:
    from fleettui.workloads.scrape import read_scrape

    return read_scrape(path)


def _day(path: Path) -> object:
    from fleettui.workloads.days import read_day

    return read_day(str(path), peak=10.0)


def _workload(path: Path) -> object:
    from fleettui.workloads.named import read_workload

    return read_workload(str(path), drop_above=10**6)


def _sharing(path: Path) -> object:
    from fleettui.workloads.named import read_workload

    return read_workload(str(path), prefixes=True)


def _in_sessions(path: Path) -> object:
    from fleettui.workloads.named import read_workload

    return read_workload(str(path), sessions=True)


def _prompts(path: Path) -> object:
    from fleettui.compression.prompts import asked_of, lines_of
    from fleettui.planning.prompt_parts import starts_of

    name, starts = starts_of(str(path), 64)
    return [asked_of(line, 3) for start in starts for line in lines_of(Path(name), start, start + 64)]


def _plan_of(path: Path) -> object:
    from fleettui.planning.plan_files import read_plan

    return read_plan(str(path))


def _take_in(path: Path) -> object:
    with TemporaryDirectory() as folder, Store.open(Path(folder) / "data" / "fleettui.db") as store:
        return store.take_in(path.read_bytes(), str(path))
