"""The workload of a running vLLM server, and what it was seen to do, from two scrapes of its metrics."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fleettui.domain.measured import Measured, Seen, check_pairs
from fleettui.domain.workload import ArrivalStatistics, CdfPoint, LengthDistribution, Origin, TimeSlice, Workload
from fleettui.errors import InputError
from fleettui.workloads.atoms import pairings
from fleettui.workloads.buckets import Buckets, Curve
from fleettui.workloads.demand import figure
from fleettui.workloads.json_fields import located
from fleettui.workloads.scrape import GAUGES, MODEL, RUNNING, Growth, Scrape, check_edges, growth, model_of, read_scrape
from fleettui.workloads.statistics import six_digits

PROMPT, OUTPUT = "vllm:request_prompt_tokens", "vllm:request_generation_tokens"
LENGTHS = {"prompt": (PROMPT,), "output": (OUTPUT,)}
LATENCIES = {
    "ttft": ("vllm:time_to_first_token_seconds",),
    "tpot": ("vllm:request_time_per_output_token_seconds",),
    "gap": ("vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"),
    "e2e": ("vllm:e2e_request_latency_seconds",),
}
"""Histograms of seconds, the name of today first. A gap is between two tokens; TPOT is a request's mean gap."""
CACHES = ("vllm:prefix_cache", "vllm:gpu_prefix_cache")
"""Counters of prompt tokens looked for (`_queries`) and found (`_hits`), the name of today first."""
INFERENCE = "vllm:request_inference_time_seconds"
SHARES = (0.5, 0.99)
DRIFT = 0.05
"""Requests by which a server may fill up, as a share of those that finished, before that is said."""

HISTOGRAMS = (PROMPT, OUTPUT, INFERENCE, *(name for names in LATENCIES.values() for name in names))
NAMES = frozenset((*HISTOGRAMS, *GAUGES, *(f"{name}_{end}" for name in CACHES for end in ("queries", "hits"))))


def measure(
    scrapes: Sequence[str],
    *,
    name: str,
    model_name: str | None = None,
    between: float | None = None,
    independent: bool = False,
) -> Measured:
    """Return what `scrapes` show: the earlier and the later of one server, then those of the next.

    `between` is the seconds between the two, needed where the samples carry no times; `model_name` picks one of several
    models. How prompts and outputs pair is unknown, or `independent` where that is assumed. Raises InputError.
    """
    check_pairs(scrapes)
    read = [read_scrape(Path(path)) for path in scrapes]
    model = model_of(read, PROMPT, model_name)
    for histogram in HISTOGRAMS:
        check_edges(read, model, histogram)
    servers = [_growth(before, after, model, between) for before, after in zip(read[::2], read[1::2], strict=True)]
    counted: defaultdict[tuple[str, float | None], float] = defaultdict(float)
    for server in servers:
        for series, grown in server.counted.items():
            counted[series] += grown
    try:
        histograms = [Buckets.of(histogram, counted) for histogram in HISTOGRAMS]
        found = {one.name: one for one in histograms if one is not None and one.count}
        prompt, output = _needed(found, PROMPT), _needed(found, OUTPUT)
    except InputError as error:
        raise located(error, ", ".join(scrapes)) from None
    workload = _workload(name, prompt, output, servers, model=model, independent=independent)
    if nameless := sorted({metric for one in read for metric in one.nameless(model, NAMES)}):
        told = f"without a {MODEL}, so not counted: {', '.join(nameless)}"
        workload = dataclasses.replace(workload, notes=(*workload.notes, told))
    seen = tuple(_seen(found, servers))
    return Measured(workload=workload, model_name=model, prefix_hit=_prefix_hit(servers), seen=seen)


def _growth(before: Scrape, after: Scrape, model: str, between: float | None) -> Growth:
    grown = growth(before, after, model=model, names=NAMES, seconds=between)
    if not grown.counted.get((f"{PROMPT}_count", None)):
        raise InputError(
            "no request finished between the scrapes",
            where=f"{before.path}, {after.path}",
            accepted="two scrapes with traffic in between",
            remedy="take the second one later; name two different files",
        )
    return grown


def _needed(found: Mapping[str, Buckets], name: str) -> Buckets:
    if name not in found:
        raise InputError(f"there are no buckets of {name}", accepted="the whole text of a vLLM server's /metrics")
    return found[name]


def _workload(
    name: str, prompt: Buckets, output: Buckets, servers: Sequence[Growth], *, model: str, independent: bool
) -> Workload:
    lengths = LengthDistribution(kind="marginals", prompt_cdf=_cdf(prompt), output_cdf=_cdf(output))
    if independent:
        lengths = LengthDistribution(kind="joint", atoms=dict(pairings(lengths))["independent"])
    rate = six_digits(math.fsum(_finished(server) / server.seconds for server in servers))
    duration = max(server.seconds for server in servers)
    lengths = dataclasses.replace(lengths, n_samples=round(prompt.count))
    return Workload(
        name=name,
        slices=(TimeSlice(start=0.0, duration=duration, rate=rate, lengths=lengths),),
        arrivals=ArrivalStatistics(timing="none", mean_rate=rate, duration=duration),
        origin=_origin(prompt, output, servers, model),
        notes=tuple(_notes(prompt, output, servers, independent=independent)),
    )


def _cdf(buckets: Buckets) -> tuple[CdfPoint, ...]:
    return Curve(buckets, whole=True).points()


def _origin(prompt: Buckets, output: Buckets, servers: Sequence[Growth], model: str) -> Origin:
    many = f" each of {len(servers)} servers" if len(servers) > 1 else ""
    return Origin(
        source=f"measured: two scrapes of vLLM{many} ({model}), {figure(max(one.seconds for one in servers))} s apart",
        derivation=f"what {PROMPT} and {OUTPUT} grew by, each bucket with its own share; inside a bucket a smooth"
        f" curve, tilted until the mean is the measured one: {figure(prompt.mean)} and {figure(output.mean)} tokens",
    )


def _notes(prompt: Buckets, output: Buckets, servers: Sequence[Growth], *, independent: bool) -> Iterator[str]:
    if independent:
        yield "a scrape does not pair outputs with prompts: taken as independent; a trace tells"
    for what, buckets in (("prompts", prompt), ("outputs", output)):
        if above := buckets.counts[-1]:
            edge, longest = figure(buckets.edges[-1]), figure(buckets.longest)
            yield f"{figure(above)} {what} above the last bucket edge, {edge} tokens: none above {longest} assumed"
    finished = math.fsum(map(_finished, servers))
    more = math.fsum(_inside(server.after) - _inside(server.before) for server in servers)
    if abs(more) > DRIFT * finished:
        inside = f"{figure(abs(more))} {'more' if more > 0 else 'fewer'} inside"
        yield f"the rate is of {figure(finished)} that finished; {inside}: {figure(finished + more)} came"


def _finished(server: Growth) -> float:
    return server.counted[f"{PROMPT}_count", None]


def _inside(gauges: Mapping[str, float]) -> float:
    return math.fsum(gauges.get(name, 0.0) for name in GAUGES)


def _prefix_hit(servers: Sequence[Growth]) -> float | None:
    """Return tokens found over tokens looked for, None where none was looked for."""
    for cache in CACHES:
        pairs = [(server.counter(f"{cache}_queries"), server.counter(f"{cache}_hits")) for server in servers]
        known = [(queries, hits) for queries, hits in pairs if queries is not None and hits is not None]
        queries, hits = (math.fsum(column) for column in zip(*known, strict=True)) if known else (0.0, 0.0)
        if hits > queries:
            raise InputError(
                f"{cache}_hits grew by more than {cache}_queries",
                value=f"{hits:g} of {queries:g}",
                remedy="scrape again",
            )
        if queries:
            return hits / queries
    return None


def _seen(found: Mapping[str, Buckets], servers: Sequence[Growth]) -> Iterator[Seen]:
    for item, names in {**LENGTHS, **LATENCIES}.items():
        buckets = next((found[name] for name in names if name in found), None)
        if buckets is not None:
            curve = Curve(buckets, whole=item in LENGTHS)
            for share in SHARES:
                low, high = buckets.band(share)
                value = None if high is None else min(max(curve.at(share), low), high)
                yield Seen(name=f"{item}.p{100 * share:g}", value=value, low=low, high=high, metric=buckets.name)
            mean = buckets.mean
            yield Seen(name=f"{item}.mean", value=mean, low=mean, high=mean, metric=buckets.name)
    yield from _running(found.get(INFERENCE), servers)


def _running(inference: Buckets | None, servers: Sequence[Growth]) -> Iterator[Seen]:
    """Yield the mean number of requests that ran: their time in service per second (Little), else of both looks."""
    if not all(RUNNING in server.before and RUNNING in server.after for server in servers):
        return
    looks = [math.fsum(getattr(server, when)[RUNNING] for server in servers) for when in ("before", "after")]
    value, metric = math.fsum(looks) / 2, RUNNING
    if inference is not None:
        value = math.fsum(server.counted[f"{INFERENCE}_sum", None] / server.seconds for server in servers)
        metric = f"{INFERENCE}_sum"
    yield Seen(name="running", value=value, low=min(*looks, value), high=max(*looks, value), metric=metric)
