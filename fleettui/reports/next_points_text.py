"""What to measure next as text: the runs, what a fit to them would narrow, and the commands that make them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any

from fleettui.domain.next_points import OWN_FIT, BenchPoint, NextPoints, Prospect, Span
from fleettui.reports import error_text, fleet_text, units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.plan_json import envelope
from fleettui.reports.table import WIDTH, Table, render
from fleettui.reports.text_page import text_page

WAVES = 8
"""Requests of a run for each of its clients: the first wave is a small part of them."""
LEAST_REQUESTS = 32
SETUP = "Each run goes to one replica: add --base-url where it is elsewhere; --model is as the server calls it."


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    prospect: Prospect
    point: BenchPoint


def next_points_text(found: NextPoints, width: int = WIDTH) -> str:
    """Return the runs as a table, the commands to make them, and what to do with what they write."""
    head = f"what to measure next for plan {found.plan.full_name}"
    rows = _rows(found)
    if not rows:
        return text_page([[head, _nothing(found)]], width)
    pages = [render(_table(rows), width), _fleets(found, width)]
    pages.append(text_page([[SETUP]], width))
    pages += [f"{row.number}\n{_folded(bench_command(row.prospect, row.point), width)}" for row in rows]
    then = "\n".join(("then", *(_folded(one, width) for one in next_commands(found))))
    return "\n\n".join([head, *pages, then])


def next_points_json(found: NextPoints) -> dict[str, Any]:
    """Return the runs with their commands as `--json` prints them."""
    points = [
        {
            "gpu": one.gpu,
            "model": one.model,
            "engine": one.engine,
            "dtype": one.dtype,
            "kv_dtype": one.kv_dtype,
            **({"expert_parallel": True} if one.expert_parallel else {}),
            "tp": one.tp,
            "clients": point.clients,
            "prompt_tokens": point.prompt_tokens,
            "output_tokens": point.output_tokens,
            "requests": requests(point),
            "command": " ".join(bench_command(one, point)),
            "fleet": fleet_text.fleet(one.fleet),
            "is_answer": one.is_answer,
            "gpus": one.gpus,
            "gpus_range": one.gpus_range,
            "gpus_range_fitted": one.fitted_range,
            "known_by": one.known_by,
            "unseen": one.unseen,
            "band": one.band,
            "band_fitted": OWN_FIT,
        }
        for one in found.prospects
        for point in one.points
    ]
    then = [" ".join(one) for one in next_commands(found)] if points else []
    return envelope("profile next", plan=found.plan.handle, points=points, known=found.known, then=then)


def requests(point: BenchPoint) -> int:
    """Return how many requests a run has."""
    return max(LEAST_REQUESTS, WAVES * point.clients)


def bench_command(one: Prospect, point: BenchPoint) -> list[str]:
    """Return the command that makes a run, in parts that stand on a line together, and that writes what a fit reads."""
    name = f"{one.gpu}-{one.dtype}-tp{one.tp}-{point.clients}x{point.prompt_tokens}-{point.output_tokens}.json"
    said = f"gpu={one.gpu} tp={one.tp} dtype={one.dtype} kv_dtype={one.kv_dtype} engine={one.engine}"
    said += f" ep={one.tp}" if one.expert_parallel else ""
    return [
        "vllm bench serve",
        *([] if one.engine == "vllm" else ["--backend openai"]),
        f"--model {one.repository}",
        "--dataset-name random",
        f"--random-input-len {point.prompt_tokens}",
        f"--random-output-len {point.output_tokens}",
        "--ignore-eos",
        f"--max-concurrency {point.clients}",
        f"--num-prompts {requests(point)}",
        "--save-result",
        f"--result-filename {name}",
        f"--metadata {said}",
    ]


def next_commands(found: NextPoints) -> list[list[str]]:
    """Return the commands that fit to the runs, and plan by the fit under a name that tells both plans apart."""
    one, name = found.prospects[0], found.plan.name
    named = [f"--name {quote(f'{name} by {found.fit}')}"] if name else []
    files = " ".join(dict.fromkeys(f"{each.gpu}-{each.dtype}-tp{each.tp}-*.json" for each in found.prospects))
    return [
        ["fleettui profile fit", files, f"--name {found.fit}", f"--model {one.model}", f"--step-law {found.step_law}"],
        ["fleettui export", found.plan.handle, "--format yaml", "-o question.yaml"],
        ["fleettui plan -f question.yaml", f"--profile {found.fit}", *named],
    ]


def _rows(found: NextPoints) -> list[_Row]:
    pairs = ((one, point) for one in found.prospects for point in one.points)
    return [_Row(number, one, point) for number, (one, point) in enumerate(pairs, start=1)]


def _table(rows: Sequence[_Row]) -> Table:
    columns: tuple[Column[_Row], ...] = (
        words("run", lambda row: str(row.number)),
        words("server", lambda row: _server(row.prospect)),
        figure("clients", lambda row: row.point.clients, units.count),
        figure("prompt", lambda row: row.point.prompt_tokens, units.count),
        figure("output", lambda row: row.point.output_tokens, units.count),
        words("GPUs today", lambda row: _span(row.prospect.gpus_range)),
        words("with a fit", lambda row: _span(row.prospect.fitted_range)),
    )
    note = "clients: sequences that a replica runs at once; prompt, output: tokens; GPUs: of the whole fleet"
    return table(columns, rows, note=note)


def _fleets(found: NextPoints, width: int) -> str:
    """Return, for each server, which fleet has it and how well it is known today and with a fit."""
    fitted = error_text.shares(OWN_FIT)
    lines = [
        f"{_server(one)}: {'the answer' if one.is_answer else 'may be cheaper'}, {fleet_text.fleet(one.fleet)}; steps "
        f"are known to {error_text.shares(one.band)} ({one.known_by}{_unseen(one)}), by a fit to two runs to {fitted}, "
        "nine in ten"
        for one in found.prospects
    ]
    lines += [f"{one}: known as well as by a fit to two runs" for one in found.known]
    return text_page([lines], width)


def _unseen(one: Prospect) -> str:
    return f", beyond its runs: {'; '.join(one.unseen)}" if one.unseen else ""


def _nothing(found: NextPoints) -> str:
    if found.known:
        fitted = error_text.shares(OWN_FIT)
        return f"nothing: {', '.join(found.known)} is known at least as well as by a fit to two runs ({fitted})"
    return "nothing: no fit would narrow its range of GPUs"


def _server(one: Prospect) -> str:
    cache = "" if one.kv_dtype == "bf16" else f" kv-{one.kv_dtype}"
    return f"{one.gpu} {one.dtype}{cache} {one.division}{' ep' if one.expert_parallel else ''}"


def _span(gpus: Span) -> str:
    low, high = gpus
    least = "none" if low is None else units.count(low)
    return f"{least} to {units.count(high)}" if high is not None else f"{least} or more"


def _folded(parts: Sequence[str], width: int) -> str:
    r"""Return a command over lines that a shell reads as one.

    >>> print(_folded(["fleettui plan", "--rate 100/s", "--slo-ttft 1s"], 30))
      fleettui plan --rate 100/s \
        --slo-ttft 1s
    """
    lines = [f"  {parts[0]}"]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 3 <= width:
            lines[-1] += f" {part}"
        else:
            lines[-1] += " \\"
            lines.append(f"    {part}")
    return "\n".join(lines)
