import csv
import json
import os
import subprocess
from pathlib import Path

import pytest

from fleettui.reports.handoff import FORMATS
from fleettui.reports.handoff.model import HandoffFile, Subject
from tests.repeated import few
from tests.reports.handoff import argument_lists
from tests.reports.handoff.plans import of_marginals, slow, subject

TOLD = """\
#!/bin/sh
for word in "$@"; do case "$word" in *requests.jsonl) cp "$word" "$KEPT" ;; esac; done
printf "%s\\0" "$@"
"""


def files_of(deployed: Subject) -> dict[str, HandoffFile]:
    return {one.name: one for one in FORMATS.named("loadtest").write(deployed)}


def run(folder: Path, deployed: Subject, slug: str) -> tuple[dict[str, object], Path]:
    """Return the arguments with which a load test calls vLLM, which here only tells them, and its requests."""
    for file in files_of(deployed).values():
        (folder / file.name).write_text(file.text, "utf-8")
    (folder / "vllm").write_text(TOLD, "utf-8")
    (folder / "vllm").chmod(0o755)
    kept = folder / "kept.jsonl"
    environment = {"PATH": f"{folder}:{os.environ['PATH']}", "MODEL": "m", "URL": "http://u", "KEPT": str(kept)}
    ended = subprocess.run(
        ("bash", str(folder / f"loadtest-{slug}.sh")),
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    words = ended.stdout.split("\0")[:-1]
    assert words[:2] == ["bench", "serve"]
    return vars(argument_lists.parser("vllm-bench").parse_args(words[2:])), kept


@pytest.mark.parametrize("name", few(["one pool", "formula", "hostile"], 1))
def test_one_replica_gets_its_part_of_the_rate(name: str, tmp_path: Path) -> None:
    deployed = slow(subject(name))
    part = deployed.pools[0]
    found, kept = run(tmp_path, deployed, part.slug)
    assert float(str(found["--request-rate"])) == pytest.approx(
        part.figures.arrival_rate / part.pool.replicas, rel=1e-5
    )
    assert float(str(found["--burstiness"])) == (0.25 if name == "formula" else 1.0)
    assert len(kept.read_text("utf-8").splitlines()) == int(str(found["--num-prompts"]))
    assert found["--metric-percentiles"] == "99"
    assert found["--goodput"] == (None if name == "formula" else ["ttft:500", "tpot:50"])


@pytest.mark.evidence
def test_lengths_are_the_pools(tmp_path: Path) -> None:
    deployed = slow(subject("two pools"))
    files = files_of(deployed)
    rows = [line for line in files["lengths-long.csv"].text.splitlines() if not line.startswith("#")]
    read = list(csv.DictReader(rows))
    assert len(read) == 1000
    assert all(4096 < int(one["prompt_tokens"]) + int(one["output_tokens"]) <= 16_384 for one in read)
    _, kept = run(tmp_path, deployed, "long")
    first = kept.read_text("utf-8").splitlines()[0]
    assert first.count(" ") > 4000  # a letter a token


def test_prompts_begin_alike_as_far_as_the_cache_is_planned_to_hit(tmp_path: Path) -> None:
    _, kept = run(tmp_path, slow(subject("experts")), "short")
    first, second = (json.loads(line)["prompt"].split() for line in kept.read_text("utf-8").splitlines()[:2])
    alike = next(place for place, (one, other) in enumerate(zip(first, second, strict=False)) if one != other)
    assert alike == pytest.approx(min(len(first), len(second)) / 2, abs=5)


def test_lengths_known_apart_are_drawn_about_their_means(tmp_path: Path) -> None:
    deployed = subject("one pool")
    apart = Subject.of(of_marginals(deployed.kept))
    assert list(files_of(apart)) == ["loadtest-short.sh"]
    found, _ = run(tmp_path, apart, "short")
    # half of the outputs lie evenly below 200, half between that and 600
    assert (found["--random-input-len"], found["--random-output-len"]) == ("500", "250")
    assert found["--dataset-name"] == "random"
