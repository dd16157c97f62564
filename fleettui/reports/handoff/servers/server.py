"""What a serving engine declares to be deployed: its program, arguments, probes, metrics, and several nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fleettui.domain.dtype import Dtype
from fleettui.domain.kv_offload import offload
from fleettui.domain.speculation import Speculation
from fleettui.hardware import catalog
from fleettui.reports import units
from fleettui.reports.handoff.model import PoolPlan, Subject

PORT = 8000
"""On which every server answers."""
SPAN_PORT = 5000
"""On which the nodes of one replica find each other."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a server with why it is there; `value` is None for one that takes none, `more` follow it."""

    name: str
    value: str | None
    reason: str
    more: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """The argument as it is typed."""
        return (self.name,) if self.value is None else (self.name, self.value, *self.more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Names under `path` of what a server tells Prometheus.

    `running` and `waiting` are gauges of requests, `completed` counts them. `latencies` are histograms in seconds by
    the name of the metric; `caution` says where one is not what the plan calls so.
    """

    path: str
    running: str
    waiting: str
    completed: str
    latencies: Mapping[str, str]
    caution: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A serving engine by the name of the catalogue's.

    `program` begins its command, the model's path or name comes after it. `arguments` are those of a pool; `settings`
    what it reads from a YAML file, named by `settings_argument`, None where it reads none. `spanning` are the arguments
    of one node of several, given the number of nodes, this one's rank and the address of the first; `following` those
    of all but the first. It is None where it is not written here how the engine spans nodes. `classes` says whether its
    arguments let requests of class batch wait behind the others, `bounds_queue` whether they bound how many wait, and
    `admissions` are the plan's schedulers that they set. `bins_not_set` returns what of graph bins they do not set.
    """

    name: str
    help: str
    program: tuple[str, ...]
    arguments: Callable[[Subject, PoolPlan], tuple[Argument, ...]]
    metrics: Metrics
    health: str = "/health"
    settings: Callable[[Subject, PoolPlan], Mapping[str, Any]] | None = None
    settings_argument: str = ""
    spanning: Callable[[int, str, str], tuple[str, ...]] | None = None
    following: tuple[str, ...] = ()
    classes: bool = False
    bounds_queue: bool = False
    admissions: tuple[str, ...] = ("paged",)
    bins_not_set: Callable[[str], str] = lambda _: ""


def accepted(said: Speculation) -> str:
    """Return what the plan counts on of drafts, and where a server says what it has."""
    rates = ", ".join(units.percent(rate) for rate in said.rates)
    return (
        f"the plan counts on {rates} of the drafts accepted by position, {said.committed:.3g} tokens a step: the "
        "server's metrics of accepted drafts should say at least that"
    )


def weights(part: PoolPlan) -> Argument:
    """Return how the weights are held, as vLLM and SGLang alike are told."""
    pool = part.pool
    if pool.dtype == "bf16":
        return Argument("--dtype", "bfloat16", "weights in bf16")
    if pool.dtype == "fp8" and catalog.published_dtype(pool.model) != "fp8":
        how = "weights turned into fp8 as they load; leave it out where those at MODEL are in fp8"
        return Argument("--quantization", "fp8", how)
    return Argument("--dtype", "auto", of_weights(pool.dtype))


def of_weights(dtype: Dtype) -> str:
    """Return what is said of weights that must be published in a format."""
    return f"the weights at MODEL must be in {dtype}: the server reads that from them"


def cache_tokens(part: PoolPlan) -> int:
    """Return the tokens that the cache of one replica holds in the plan."""
    return part.pool.profile.kv_blocks * part.pool.profile.block_size * part.pool.pp


def memory_share(name: str, part: PoolPlan, what: str) -> Iterator[Argument]:
    """Yield the argument called `name` with the share of the memory that the plan counts on, where that is known."""
    if part.memory_share is not None:
        yield Argument(name, f"{part.memory_share:g}", f"the share that the plan counts on: {what}")


def memory_beside(subject: Subject, part: PoolPlan) -> tuple[float, str]:
    """Return the bytes of the memory beside each GPU, 0 where there is none, and what the plan counts on of it."""
    said = subject.question.kv_offload
    if not said:
        return 0.0, ""
    beside = offload(said)
    what = "what prefix caches drop" if subject.question.prefix_cache else "what preempted sequences had"
    link = units.bytes_per_second(beside.bandwidth)
    size = f"{beside.memory / 1e9:g} GB beside each {part.pool.gpu}"
    return beside.memory, f"{size} for {what}; the plan counts on {link} of each one's way there: measure it"


def found(subject: Subject, part: PoolPlan) -> str:
    """Return what the plan counts on of prefixes that are found in the cache."""
    seen = None if part.seen is None else part.seen.hit
    if subject.question.prefix_cache and seen is not None:
        return f"prefixes are kept; the plan's simulation found {units.percent(seen)} of the prompt tokens"
    share = units.percent(subject.question.prefix_hit)
    return f"prefixes are kept; the plan counts {share} of the prompt tokens as found in the cache"
