"""A load test of one replica at the planned point: vLLM's own, with the plan's rate and lengths."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fleettui.domain.fleet import counted
from fleettui.reports import units
from fleettui.reports.handoff import texts
from fleettui.reports.handoff.commands import HERE
from fleettui.reports.handoff.lengths import pool_lengths
from fleettui.reports.handoff.model import Format, HandoffFile, PoolPlan, Subject

SECONDS, LEAST_REQUESTS, MOST_REQUESTS = 600, 1000, 5000
"""How long the test goes on, and how many requests it has at least and at most."""
LETTERS = 2_000_000
"""Of which prompts are cut, at least."""
NEEDS = "it needs `vllm bench serve` of vLLM 0.19 (pip install vllm), which asks any server with OpenAI's API"
UNKNOWN = "the address of one replica (URL) and its weights (MODEL), whose tokenizer counts the answers' tokens"
PROMPTS = """\
python3 - "$here/{lengths}" "$work/requests.jsonl" <<'PYTHON'
import csv, itertools, json, random, string, sys

draw, hit = random.Random(1), {hit:g}
letters = draw.choices(string.ascii_lowercase, k={letters})  # one token each, near enough; all begin somewhere else
with open(sys.argv[1]) as lengths:
    rows = list(csv.DictReader(line for line in lengths if not line.startswith("#")))
draw.shuffle(rows)
with open(sys.argv[2], "w") as requests:
    for row in itertools.islice(itertools.cycle(rows), {requests}):
        prompt = int(row["prompt_tokens"])
        cached = int(prompt * hit)
        start = draw.randrange(len(letters) - prompt)
        words = letters[:cached] + letters[start : start + prompt - cached]
        requests.write(json.dumps({{"prompt": " ".join(words), "output_tokens": int(row["output_tokens"])}}) + "\\n")
PYTHON"""


def _write(subject: Subject) -> tuple[HandoffFile, ...]:
    return tuple(file for part in subject.pools if part.rate > 0.0 for file in _files(subject, part))


def _files(subject: Subject, part: PoolPlan) -> Iterator[HandoffFile]:
    lengths, name = pool_lengths(subject.kept.workload, part.pool), f"lengths-{part.slug}.csv"
    above = (*texts.head(subject, UNKNOWN), texts.of_pool(subject, part), NEEDS, *_cautions(subject, part, lengths))
    text = texts.script(above, _lines(subject, part, name if lengths else ""))
    yield HandoffFile(name=f"loadtest-{part.slug}.sh", about="a load test of one replica", text=text)
    if lengths:
        rows = "\n".join(["prompt_tokens,output_tokens", *(f"{prompt},{output}" for prompt, output in lengths)])
        told = texts.comments((*texts.head(subject), texts.of_pool(subject, part)))
        yield HandoffFile(name=name, about="the lengths of its requests", text=f"{told}\n{rows}\n")


def _cautions(subject: Subject, part: PoolPlan, lengths: Sequence[object]) -> Iterator[str]:
    """Yield where the test is not the planned point."""
    question = subject.question
    if not lengths:
        yield "the plan knows prompts and outputs apart alone: the test draws both about their means"
    if _burstiness(question.arrivals) is None:
        yield f"arrivals {question.arrivals} are the plan's; the test has Poisson's"
    if part.pool.replicas > 1:
        yield (
            "the pool's router evens out what reaches a replica; alone at this rate requests wait a little longer "
            "than the pool's in the plan"
        )


def _lines(subject: Subject, part: PoolPlan, lengths: str) -> Iterator[str]:
    yield ': "${URL:?set URL to the address of one replica, such as http://localhost:8000}"'
    yield ': "${MODEL:?set MODEL to the path or the name of the weights, as the server has it}"'
    yield texts.array("arguments", _arguments(subject, part))
    if lengths:
        yield HERE
        yield "work=$(mktemp -d)"
        yield "trap 'rm -rf \"$work\"' EXIT"
        yield PROMPTS.format(
            lengths=lengths,
            letters=max(LETTERS, 2 * part.pool.up_to),
            hit=subject.question.prefix_hit,
            requests=_requests(part),
        )
        yield 'arguments+=(--dataset-name custom --dataset-path "$work/requests.jsonl" --custom-output-len -1)'
        yield "arguments+=(--skip-chat-template)"
    else:
        yield texts.array("lengths", _means(subject))
        yield 'arguments+=("${lengths[@]}")'
    yield 'vllm bench serve --base-url "$URL" --model "$MODEL" "${arguments[@]}" "$@"'


def _arguments(subject: Subject, part: PoolPlan) -> Iterator[tuple[Sequence[str], str]]:
    slo = subject.question.slo
    yield ("--backend", "openai", "--endpoint", "/v1/completions"), "answers come token by token"
    yield (
        ("--request-rate", f"{part.rate:.6g}"),
        f"{units.per_second(part.figures.arrival_rate)}/s of the pool over {counted(part.pool.replicas, 'replica')}",
    )
    yield (
        ("--burstiness", f"{_burstiness(subject.question.arrivals) or 1.0:.6g}"),
        f"arrivals {texts.safe(subject.question.arrivals)}: 1 is Poisson, 1/cv^2 of Gamma gaps",
    )
    yield (
        ("--num-prompts", str(_requests(part))),
        f"{SECONDS // 60} minutes, {LEAST_REQUESTS} to {MOST_REQUESTS} requests",
    )
    yield ("--seed", str(subject.question.seed % 2**32)), "the plan's"
    yield ("--ignore-eos",), "every answer is as long as planned"
    shares = sorted({slo.share(one) for one in subject.latencies})
    yield (
        (
            "--percentile-metrics",
            "ttft,tpot,e2el",
            "--metric-percentiles",
            ",".join(units.write_percentile(share) for share in shares),
        ),
        f"the plan foresees {texts.foreseen(subject, part)}",
    )
    limits = [f"{one.metric if one.metric != 'e2e' else 'e2el'}:{1000 * one.seconds:g}" for one in slo.shared()]
    if limits:
        yield ("--goodput", *limits), f"the limits, in ms; {units.percent(slo.percentile)} of the requests keep each"


def _requests(part: PoolPlan) -> int:
    return min(MOST_REQUESTS, max(LEAST_REQUESTS, math.ceil(part.rate * SECONDS)))


def _means(subject: Subject) -> Iterator[tuple[Sequence[str], str]]:
    """Yield random lengths about the workload's means."""
    first = subject.kept.workload.slices[0].lengths
    prompt, output = (_mean(cdf) for cdf in (first.prompt_cdf, first.output_cdf))
    reason = "means of the whole workload, uniform about them"
    yield ("--dataset-name", "random", "--random-range-ratio", "0.9"), reason
    yield ("--random-input-len", str(prompt), "--random-output-len", str(output)), "tokens"


def _mean(cdf: Sequence[tuple[float, float]]) -> int:
    """Return the mean of a distribution whose mass lies evenly between its points, 1 where there is none."""
    mean, before, below = 0.0, 0.0, 0.0
    for point, fraction in cdf:
        mean += (fraction - below) * (before + point) / 2
        before, below = point, fraction
    return max(1, round(mean / below)) if below else 1


def _burstiness(arrivals: str) -> float | None:
    """Return the shape of Gamma gaps, 1 for Poisson's; None for arrivals that have none.

    >>> _burstiness("poisson"), _burstiness("gamma:cv=2"), _burstiness("replay")
    (1.0, 0.25, None)
    """
    name, _, parameter = arrivals.partition(":cv=")
    if name == "poisson":
        return 1.0
    return 1.0 / float(parameter) ** 2 if name == "gamma" and parameter else None


FORMAT = Format(name="loadtest", help="a load test of one replica at the planned point", write=_write)
