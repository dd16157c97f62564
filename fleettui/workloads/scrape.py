"""Two scrapes of a vLLM server, in Prometheus' text format, and what its counters grew by between them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fleettui.domain import checks
from fleettui.errors import InputError, UnknownNameError
from fleettui.workloads.formats.line_blocks import opened

if TYPE_CHECKING:
    from prometheus_client.samples import Sample

MODEL = "model_name"
MOST_BYTES = 1 << 26
"""A scrape of one server has about 10^5."""
GAUGES = (RUNNING, WAITING) = ("vllm:num_requests_running", "vllm:num_requests_waiting")
"""The metrics that are values of now; all others count."""
_CREATED = "_created"
_ENDINGS = ("_bucket", "_sum", "_count", "_total", _CREATED)
_ACCEPTED = "the text of a vLLM server's /metrics"
_AGAIN = "curl -s http://HOST:8000/metrics > FILE"
_BORN = "process_start_time_seconds"

Series = tuple[str, tuple[tuple[str, str], ...]]
"""A sample's name, and its labels, sorted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrape:
    """The samples of one text, and the time that they carry, in seconds, or None."""

    path: Path
    values: Mapping[Series, float]
    at: float | None

    def models(self, name: str) -> set[str]:
        """Return the models for which there is a histogram called `name`."""
        return {dict(labels).get(MODEL, "") for sample, labels in self.values if sample == f"{name}_count"}

    def nameless(self, model: str, names: Collection[str]) -> set[str]:
        """Return the metrics among `names` that stand without a model's name, though the model has one."""
        known = {_metric(name) for (name, labels), _ in self.of("", names) if MODEL not in dict(labels)}
        return known if model else set()

    def of(self, model: str, names: Collection[str]) -> Iterator[tuple[Series, float]]:
        """Yield the samples of the metrics `names` of one model."""
        for (name, labels), value in self.values.items():
            if _metric(name) in names and dict(labels).get(MODEL, "") == model:
                yield (name, labels), value


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """What the counters of a model grew by in so many `seconds`, by sample name and upper edge, over all other labels.

    `before` and `after` are the values of its gauges.
    """

    seconds: float
    counted: Mapping[tuple[str, float | None], float]
    before: Mapping[str, float]
    after: Mapping[str, float]

    def counter(self, name: str) -> float | None:
        """Return what the counter called `name`, or that and "_total", grew by; None where there is none."""
        return self.counted.get((f"{name}_total", None), self.counted.get((name, None)))


def read_scrape(path: Path) -> Scrape:
    """Return the scrape in the file at `path`, gzipped or not; samples that stand twice are added up.

    Raises InputError for what is no Prometheus text, and for one without samples of vLLM.
    """
    from prometheus_client.parser import text_string_to_metric_families

    text = _text(path)
    first = text.strip().split("\n", 1)[0]
    try:
        samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
        for sample in samples:
            _check_numbers(sample)
    except (ValueError, IndexError, OverflowError):
        raise InputError(
            "this is no whole Prometheus text", where=str(path), value=first, accepted=_ACCEPTED, remedy=_AGAIN
        ) from None
    values: defaultdict[Series, float] = defaultdict(float)
    for sample in samples:
        values[sample.name, tuple(sorted(sample.labels.items()))] += sample.value
    ours = [sample for sample in samples if sample.name.startswith("vllm:")]
    if not ours:
        raise InputError(
            "there are no metrics of vLLM here", where=str(path), value=first, accepted=_ACCEPTED, remedy=_AGAIN
        )
    times = [float(sample.timestamp) for sample in ours if sample.timestamp is not None]
    return Scrape(path=path, values=values, at=max(times, default=None))


def model_of(scrapes: Iterable[Scrape], name: str, wanted: str | None) -> str:
    """Return the model whose histogram `name` every scrape has: `wanted`, or the only one. Raises InputError."""
    for scrape in scrapes:
        found = scrape.models(name)
        if not found:
            raise InputError(f"there is no {name}", where=str(scrape.path), accepted=_ACCEPTED, remedy=_AGAIN)
        if wanted is None and len(found) > 1:
            raise InputError(
                "several models are served",
                where=str(scrape.path),
                accepted=", ".join(sorted(found)),
                remedy=f"add --model-name {min(found)}",
            )
        wanted = min(found) if wanted is None else wanted
        if wanted not in found:
            raise UnknownNameError("model name", wanted, found, where=str(scrape.path))
    assert wanted is not None, "there is a scrape"
    return wanted


def growth(before: Scrape, after: Scrape, *, model: str, names: Collection[str], seconds: float | None) -> Growth:
    """Return what the metrics `names` of `model` grew by from one scrape to the other.

    `seconds` between them win over the times that they carry. Raises InputError where neither says, and where the two
    are not of one run of the server, in this order.
    """
    _check_one_run(before, after, model, names)
    counted: defaultdict[tuple[str, float | None], float] = defaultdict(float)
    for (name, labels), value in after.of(model, names):
        if name not in GAUGES and not name.endswith(_CREATED):
            counted[name, _edge(dict(labels))] += value - before.values.get((name, labels), 0.0)
    gauges = [_gauges(scrape, model) for scrape in (before, after)]
    return Growth(seconds=_seconds(before, after, seconds), counted=counted, before=gauges[0], after=gauges[1])


def check_edges(scrapes: Iterable[Scrape], model: str, name: str) -> None:
    """Raise InputError unless the histogram `name` has the same buckets everywhere."""
    first: set[float | None] = set()
    for scrape in scrapes:
        found: dict[object, set[float | None]] = defaultdict(set)
        for (sample, labels), _ in scrape.of(model, (name,)):
            if sample.endswith("_bucket"):
                rest = tuple(label for label in labels if label[0] != "le")
                found[rest].add(_edge(dict(labels)))
        for edges in found.values():
            first = first or edges
            if edges != first:
                different = ", ".join(f"{edge:g}" for edge in sorted(edge for edge in edges ^ first if edge))
                raise InputError(
                    f"the buckets of {name} differ, at {different}",
                    where=str(scrape.path),
                    accepted="scrapes with the same bucket edges",
                    remedy="take both of one server, or of servers with one version and --max-model-len",
                )


def _gauges(scrape: Scrape, model: str) -> dict[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for (name, _), value in scrape.of(model, GAUGES):
        found[name] += value
    return found


def _text(path: Path) -> str:
    if not path.exists():
        raise InputError("there is no such file", where=str(path), accepted=_ACCEPTED, remedy=_AGAIN)
    with opened(path) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InputError("this is too long for a scrape", where=str(path), accepted=f"up to {MOST_BYTES >> 20} MiB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("is not text", where=str(path), value=data[:16], accepted=_ACCEPTED, remedy=_AGAIN) from None


def _check_numbers(sample: Sample) -> None:
    """Raise ValueError or OverflowError where a number of a sample is none, or too large for a float."""
    _edge(sample.labels)
    for number in (sample.value, sample.timestamp or 0.0):
        float(number)


def _edge(labels: Mapping[str, str]) -> float | None:
    return float(labels["le"]) if "le" in labels else None


def _metric(name: str) -> str:
    """Return the metric of a sample: `x` of `x_bucket`, `x_total` and so on.

    >>> _metric("vllm:request_prompt_tokens_bucket"), _metric("vllm:num_requests_running")
    ('vllm:request_prompt_tokens', 'vllm:num_requests_running')
    """
    return next((name.removesuffix(ending) for ending in _ENDINGS if name.endswith(ending)), name)


def _check_one_run(before: Scrape, after: Scrape, model: str, names: Collection[str]) -> None:
    """Raise InputError where the server was not the same process, or a counter is gone, fell, or is no number."""
    if before.values.get((_BORN, ())) != after.values.get((_BORN, ())):
        raise _not_one_run("the process started at another time", after, _BORN)
    for scrape in (before, after):
        for (name, _), value in scrape.of(model, names):
            if not math.isfinite(value):
                raise InputError("a sample is no number", where=f"{scrape.path}: {name}", value=value)
    for series, value in before.of(model, names):
        name, now = series[0], after.values.get(series)
        if name.endswith(_CREATED):
            if now not in {None, value}:
                raise _not_one_run("the counters were created at another time", after, name)
        elif name not in GAUGES and (now is None or now < value):
            told = "is gone" if now is None else f"went from {value:g} to {now:g}"
            raise _not_one_run(f"a counter {told}", after, name)


def _not_one_run(what: str, scrape: Scrape, name: str) -> InputError:
    return InputError(
        f"{what}: {name}",
        where=str(scrape.path),
        accepted="the earlier scrape, then the later, of one run of the server",
        remedy="turn the two around, or, if the server was restarted in between, take two new ones",
    )


def _seconds(before: Scrape, after: Scrape, said: float | None) -> float:
    if said is not None:
        checks.positive("--between", said)
        return said
    if before.at is None or after.at is None:
        raise InputError(
            "the scrapes do not say when they were taken",
            where=str((before if before.at is None else after).path),
            accepted="samples with times, or the time between the two",
            remedy="add --between 5min",
        )
    if after.at <= before.at:
        raise _not_one_run("the second scrape is not later than the first", after, f"{after.at:.15g} s")
    return after.at - before.at
