"""What to measure next as it is printed; and that a run made so is read as the run of its server."""

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fleettui.domain.next_points import BenchPoint, NextPoints, Prospect
from fleettui.domain.plan import PlanIdentity
from fleettui.hardware.measured import read_points
from fleettui.reports.next_points_text import bench_command, next_points_json, next_points_text
from tests.store import samples

LOADED = BenchPoint(clients=66, prompt_tokens=1155, output_tokens=211)
ANSWER = Prospect(
    gpu="h100",
    model="llama-3.1-70b",
    engine="vllm",
    dtype="fp8",
    kv_dtype="bf16",
    tp=4,
    expert_parallel=False,
    is_answer=True,
    fleet=samples.candidate().fleet,
    gpus=24,
    known_by="kernels measured",
    band=(0.78, 1.38),
    gpus_range=(16, 40),
    fitted_range=(20, 28),
    narrowed=50.0,
    unseen=(),
    repository="meta-llama/Llama-3.1-70B",
    points=(LOADED, replace(LOADED, clients=7)),
)
RIVAL = replace(
    ANSWER,
    gpu="mi300x",
    tp=1,
    kv_dtype="fp8",
    is_answer=False,
    known_by="kernels not measured",
    band=(0.67, 1.71),
    gpus_range=(8, None),
    fitted_range=(10, 16),
)
FOUND = NextPoints(
    plan=PlanIdentity(id="x", handle="41a7", name="chat"),
    step_law="kernels",
    fit="prod",
    prospects=(ANSWER, RIVAL),
    known=("x",),
)


def test_a_table_what_it_rests_on_and_commands_within_the_width() -> None:
    text = next_points_text(FOUND)
    assert text.startswith(
        """\
what to measure next for plan 41a7 chat

run  server                 clients  prompt  output  GPUs today  with a fit
1    h100 fp8 tp4                66   1,155     211  16 to 40    20 to 28
2    h100 fp8 tp4                 7   1,155     211  16 to 40    20 to 28
3    mi300x fp8 kv-fp8 tp1       66   1,155     211  8 or more   10 to 16
4    mi300x fp8 kv-fp8 tp1        7   1,155     211  8 or more   10 to 16
clients: sequences that a replica runs at once; prompt, output: tokens; GPUs: of
the whole fleet

h100 fp8 tp4: the answer, H100 tp4 x3 + A100 tp4 x1; steps are known to -22% to
+38% (kernels measured), by a fit to two runs to -15% to +22%, nine in ten
"""
    )
    beyond = replace(ANSWER, known_by="own fit prod", unseen=("66 requests at once, seen 1 to 32",))
    words = " ".join(next_points_text(replace(FOUND, prospects=(beyond,))).split())
    assert "(own fit prod, beyond its runs: 66 requests at once, seen 1 to 32), by a fit to two runs" in words
    assert "\nx: known as well as by a fit to two runs\n" in text
    assert max(map(len, text.splitlines())) <= 80
    assert text.endswith(
        """\
then
  fleettui profile fit h100-fp8-tp4-*.json mi300x-fp8-tp1-*.json --name prod \\
    --model llama-3.1-70b --step-law kernels
  fleettui export 41a7 --format yaml -o question.yaml
  fleettui plan -f question.yaml --profile prod --name 'chat by prod'"""
    )


def test_nothing_to_measure_says_why() -> None:
    none = replace(FOUND, prospects=(), known=(ANSWER.server,))
    assert " ".join(next_points_text(none).split()) == (
        "what to measure next for plan 41a7 chat nothing: llama-3.1-70b fp8 on 4 h100 under vllm is known at least as "
        "well as by a fit to two runs (-15% to +22%)"
    )
    assert next_points_text(replace(none, known=())).endswith("nothing: no fit would narrow its range of GPUs")
    assert next_points_json(none)["points"] == next_points_json(none)["then"] == []


def test_data_hold_each_run_with_its_command_and_both_ranges() -> None:
    plain = json.loads(json.dumps(next_points_json(FOUND)))
    assert (plain["schema"], plain["command"], plain["plan"], len(plain["points"])) == (1, "profile next", "41a7", 4)
    first, *_, last = plain["points"]
    assert (first["gpus_range"], first["gpus_range_fitted"], first["is_answer"]) == ([16, 40], [20, 28], True)
    assert (last["gpus_range"], last["kv_dtype"]) == ([8, None], "fp8")
    assert first["requests"] == 8 * 66
    assert first["command"].startswith("vllm bench serve --model meta-llama/Llama-3.1-70B --dataset-name random")


@pytest.mark.parametrize(("prospect", "engine"), [(ANSWER, "vllm"), (RIVAL, "sglang")])
def test_a_run_made_so_is_read_as_the_run_of_its_server(prospect: Prospect, engine: str, tmp_path: Path) -> None:
    asked = replace(prospect, engine=engine)
    words = shlex.split(" ".join(bench_command(asked, LOADED)))
    assert ("--backend" in words) == (engine != "vllm")
    value = {name: words[place + 1] for place, name in enumerate(words) if name.startswith("--")}
    said = dict(word.split("=") for word in words[words.index("--metadata") + 1 :])
    count = int(value["--num-prompts"])
    run: dict[str, Any] = {
        "backend": value.get("--backend", "vllm"),
        "model_id": value["--model"],
        "request_rate": "inf",
        "max_concurrency": int(value["--max-concurrency"]),
        "completed": count,
        "total_input_tokens": count * int(value["--random-input-len"]),
        "total_output_tokens": count * int(value["--random-output-len"]),
        "mean_ttft_ms": 250.0,
        "mean_tpot_ms": 20.0,
        **said,
    }
    file = tmp_path / value["--result-filename"]
    file.write_text(json.dumps(run))
    (point,) = read_points(file).points
    assert point.server_key == asked.server_key
    assert (point.concurrency, point.prompt_tokens, point.output_tokens) == (66, 1155, 211)
