"""What arrives and what must hold in five lines, each with its units: demand, lengths, cache, SLO and arrivals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fleettui.domain.demand import Demand, DemandForm, DerivedDemand
from fleettui.domain.slo import Slo
from fleettui.domain.typed_range import TypedRange
from fleettui.domain.workload import LengthDistribution, LengthStatistics, TimeSlice, Workload
from fleettui.errors import InputError
from fleettui.reports import fleet_text, range_words, units
from fleettui.reports.length_curve import curves
from fleettui.reports.question.conversion import planned_at
from fleettui.reports.question.five_lines import HIT, phrase_of
from fleettui.reports.question.keys import BY_NAME
from fleettui.reports.table import WIDTH, wrap
from fleettui.reports.workload_charts import BURSTIEST, BURSTS
from fleettui.workloads.arrivals import ARRIVALS, asked
from fleettui.workloads.demand import derive_demand, mean_tokens, requests_in

LABEL = 10
"""Characters of a line's label with the space behind it."""
GAP = "   "
PARTS = ("prompt", "output", "total")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A form of demand: its label, when it is the one to choose, and a phrase that says it."""

    name: DemandForm
    label: str
    words: str
    example: str


FORMS: tuple[Form, ...] = (
    Form(name="trace", label="as recorded", words="the workload's own mean rate", example="as recorded"),
    Form(name="rate", label="rate", words="requests per second, minute, hour or day", example="100/s"),
    Form(name="users", label="users", words="times their requests, times the peak", example="20000 users x 6/h x 2.5"),
    Form(name="tokens", label="tokens", words="per day, the busiest hour's share", example="3e9 tokens/day peak 9%"),
    Form(name="concurrency", label="clients", words="each waits for its answer", example="400 clients think 20s"),
)
"""Every form of demand, in the order in which it is offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """What the lines tell: a question's `texts` by key, and what is known of the workload that they name.

    `lengths` are the workload's, or the law through the percentiles that are typed; both are None while nothing is
    read, which `state` explains. `derived` is what a plan of this very demand has worked out. `changed` are the keys
    whose text is not that of the plan.
    """

    texts: Mapping[str, str]
    workload: Workload | None = None
    lengths: LengthDistribution | None = None
    derived: DerivedDemand | None = None
    state: str = ""
    changed: frozenset[str] = frozenset()


KEYS: dict[str, tuple[str, ...]] = {
    "demand": phrase_of("demand").keys,
    "lengths": (*(key for key in phrase_of("lengths").keys if key != HIT), "output-share", "drop-longer"),
    "cache": (HIT,),
    "slo": phrase_of("slo").keys,
    "arrivals": ("arrivals",),
}
"""The keys of the question that each line tells."""


def traffic_lines(traffic: Traffic, width: int = WIDTH) -> dict[str, str]:
    """Return the text of each of the five, in lines of at most `width`; the label of one that was changed bears a `*`.

    >>> print(traffic_lines(Traffic(texts={"rate": "100/s"}))["demand"])
    DEMAND    rate: 100 requests/s, as given
    """
    room = max(width - LABEL, 1)
    told = (_demand(traffic), _lengths(traffic, room), _cache(traffic), _slo(traffic), _arrivals(traffic))
    shown = {}
    for (name, keys), sentences in zip(KEYS.items(), told, strict=True):
        label = name.upper() + ("*" if traffic.changed.intersection(keys) else "")
        lines = [line for sentence in sentences for line in _set(sentence, room)]
        heads = (label.ljust(LABEL), *(" " * LABEL for _ in lines[1:]))
        shown[name] = "\n".join(head + line for head, line in zip(heads, lines, strict=True))
    return shown


def form_of(texts: Mapping[str, str]) -> DemandForm:
    """Return the form of demand that `texts` say; none of them takes the workload's own rate.

    >>> form_of({"users": "20000"}), form_of({})
    ('users', 'trace')
    """
    said = {BY_NAME[name].demand for name in texts}
    return next((form.name for form in FORMS if form.name in said), "trace")


def demand_of(texts: Mapping[str, str]) -> Demand:
    """Return the demand that `texts` say; raises InputError where a part of it lacks or cannot be."""
    form = form_of(texts)
    keys = [key for name in texts if (key := BY_NAME[name]).demand == form]
    given = {key.field: planned_at(key.read(texts[key.name], key.name)) for key in keys}
    return Demand(form=form, **{field.removeprefix("demand."): value for field, value in given.items()})


def derived_demand(traffic: Traffic) -> DerivedDemand | None:
    """Return the rate that the demand comes to; None where that waits for the workload, or for the fleet's answers.

    Raises InputError for a demand that cannot be, such as the own rate of a workload without times.
    """
    demand = demand_of(traffic.texts)
    if traffic.derived is not None:
        return traffic.derived
    if demand.form == "concurrency" or (demand.form in ("trace", "tokens") and traffic.lengths is None):
        return None
    timing = "none" if traffic.workload is None else traffic.workload.arrivals.timing
    if demand.form == "trace" and _profile(traffic) and timing != "profile":
        return None  # the file is read with the question
    own, slices = _own_rate(traffic.workload), () if traffic.workload is None else traffic.workload.slices
    prompt, output = _mean_tokens(traffic.lengths, slices)
    several = 1 if len(slices) < 2 or any(part.rate is None for part in slices) else len(slices)
    return derive_demand(demand, own_rate=own, mean_prompt=prompt, mean_output=output, slices=several, timing=timing)


def _mean_tokens(lengths: LengthDistribution | None, slices: Sequence[TimeSlice]) -> tuple[float, float]:
    """Return the mean prompt and output tokens of all requests, of a workload over all of its time slices."""
    if len(slices) > 1:
        return mean_tokens(
            (requests_in(part.duration, part.rate, _counted(part.lengths)), mean_of(part.lengths)) for part in slices
        )
    return (0.0, 0.0) if lengths is None else mean_of(lengths)


def _counted(lengths: LengthDistribution) -> float:
    """Return how many requests a distribution holds, 1 where it is shares alone."""
    return math.fsum(weight for weight, _, _ in lengths.atoms) or 1.0


def mean_of(lengths: LengthDistribution) -> tuple[float, float]:
    """Return the mean prompt and output tokens of a request.

    >>> mean_of(LengthDistribution(kind="total", cdf=((100.0, 1.0),), output_share=0.2))
    (40.0, 10.0)
    """
    means = {curve.name: curve.mean for curve in curves(lengths)}
    if lengths.kind != "total":
        return means["prompt"], means["output"]
    share = lengths.output_share or 0.0
    return means["total"] * (1 - share), means["total"] * share


def _own_rate(workload: Workload | None) -> float | None:
    """Return the workload's mean rate, of several time slices the busiest one's."""
    if workload is None or len(workload.slices) == 1:
        return None if workload is None else workload.arrivals.mean_rate
    rates = [part.rate for part in workload.slices]
    return None if None in rates else max(rate for rate in rates if rate is not None)


def _ranges(traffic: Traffic, line: str) -> list[str]:
    """Return what was typed as a range in a line, and what is planned for."""
    read = (BY_NAME[name].read(text, name) for name, text in traffic.texts.items() if name in KEYS[line])
    typed = [one for one in read if isinstance(one, TypedRange)]
    return [range_words.told(typed)] if typed else []


def _demand(traffic: Traffic) -> list[str]:
    form = next(one for one in FORMS if one.name == form_of(traffic.texts))
    try:
        derived = derived_demand(traffic)
    except InputError as error:
        return [f"x {form.label}: {str(error).split(chr(10), maxsplit=1)[0]}", "enter says how much comes"]
    if derived is not None:
        words = derived.arithmetic
    elif form.name == "concurrency":
        words = _closed_loop(demand_of(traffic.texts))
    elif form.name == "trace" and (file := _profile(traffic)):
        words = f"the busiest slice of {file}"
    else:
        words = traffic.texts.get("tokens", form.words)
    return [f"{form.label}: {words}", *_ranges(traffic, "demand"), *_recorded(traffic.workload, derived)]


def _profile(traffic: Traffic) -> str | None:
    """Return the file of the rates over the day, where the arrivals have one."""
    return asked(traffic.texts.get("arrivals", ARRIVALS.default.name)).file


def _closed_loop(demand: Demand) -> str:
    assert demand.concurrency is not None, "a closed loop has its clients"
    pause = f" and pause {units.seconds(demand.think)} after it" if demand.think else ""
    clients = f"{units.count(demand.concurrency)} that wait for each answer{pause}"
    return f"{clients}; the fleet that is planned sets their rate"


def _recorded(workload: Workload | None, derived: DerivedDemand | None) -> list[str]:
    """Return what the workload itself had: requests, for how long, how often, and what is asked for beside it."""
    if workload is None:
        return []
    arrivals, requests = workload.arrivals, sum(part.lengths.n_samples for part in workload.slices)
    counted = f"{units.count(requests)} requests" if requests else "requests"
    if arrivals.mean_rate is None:
        return [f"its own: {counted} without times, so no rate"]
    over = "" if arrivals.duration is None else f" in {units.seconds(arrivals.duration)}"
    times = "" if derived is None else _times(derived.rate / arrivals.mean_rate)
    return [f"its own: {counted}{over}, {units.per_second(arrivals.mean_rate)}/s{times}"]


def _times(ratio: float) -> str:
    """Return how many times the recorded rate is asked for, empty where it is that rate.

    >>> _times(18.08), _times(1.0)
    ('; asked: 18.1 times that', '')
    """
    return "" if abs(ratio - 1) < 0.005 else f"; asked: {units.per_second(ratio)} times that"


def _lengths(traffic: Traffic, width: int) -> list[str]:
    texts, lengths = traffic.texts, traffic.lengths
    if not texts.get("workload") and not texts.get("prompt"):
        return ["x no workload is named: enter names one, o opens a file"]
    if lengths is None:
        return traffic.state.split("\n")
    if "workload" not in texts:
        typed = GAP.join(f"{part} tokens {texts[part].replace(',', ' ')}" for part in PARTS[:2] if part in texts)
        return [f"percentiles as typed: {_kind(lengths)}", typed, "the costliest of three pairings is planned for"]
    slices = 0 if traffic.workload is None else len(traffic.workload.slices)
    first = f"; {slices} time slices, the first is shown" if slices > 1 else ""
    return [f"{texts['workload']}: {_kind(lengths)}{first}", _percentiles(lengths, width), *_left_out(traffic)]


def _kind(lengths: LengthDistribution) -> str:
    if lengths.kind == "joint":
        return "prompt and output known together (joint)"
    if lengths.kind == "total":
        return f"only prompt + output known, output taken as {units.percent(lengths.output_share or 0)} of it"
    return "prompt and output known apart (marginals), their pairing is unknown"


def _percentiles(lengths: LengthDistribution, width: int) -> str:
    """Return P50 and P99 of each length that is known: of the original requests, else off the curves.

    The total, which the plot tells too, is left out where it would take a line more.
    """
    stated: dict[str, LengthStatistics | None] = {part: getattr(lengths, part) for part in PARTS}
    known = {part: (one.p50, one.p99) for part, one in stated.items() if one is not None}
    if not known:
        known = {curve.name: (curve.quantile(0.5), curve.quantile(0.99)) for curve in curves(lengths)}
    told = [
        f"{part} tokens P50 {units.count(known[part][0])} P99 {units.count(known[part][1])}"
        for part in PARTS
        if part in known
    ]
    whole = GAP.join(told)
    return whole if len(whole) <= width else GAP.join(told[:2])


def _left_out(traffic: Traffic) -> list[str]:
    dropped = 0 if traffic.workload is None else traffic.workload.dropped
    return [f"{units.count(dropped)} requests longer than the context are left out"] if dropped else []


def _cache(traffic: Traffic) -> list[str]:
    key = BY_NAME[HIT]
    share = planned_at(key.read(traffic.texts.get(HIT, key.default), HIT))
    return [
        f"prefix hit {units.percent(share)} of the prompt tokens{'' if share else ' [default]'}",
        *_ranges(traffic, "cache"),
    ]


def _slo(traffic: Traffic) -> list[str]:
    given = {name: BY_NAME[name].read(traffic.texts[name], name) for name in KEYS["slo"] if name in traffic.texts}
    slo = Slo(**{BY_NAME[name].field.removeprefix("slo."): value for name, value in given.items()})
    limits = [f"{fleet_text.ranked(one, slo)} {units.limit(one.seconds)}" for one in slo.limits()]
    return [GAP.join(limits) + ", in every pool"] if limits else ["x no limit is set, a plan needs one: enter sets it"]


def _arrivals(traffic: Traffic) -> list[str]:
    arrivals = None if traffic.workload is None else traffic.workload.arrivals
    process = asked(traffic.texts.get("arrivals", ARRIVALS.default.name))
    planned = f"{process.told} is planned for"
    if arrivals is None or arrivals.mean_rate is None:
        return [f"{planned}; how requests really come is not known"]
    known = [(ratio, window) for window, ratio in arrivals.dispersion if ratio is not None]
    if not known:
        return [f"{planned}; how bursty the workload is was not measured"]
    ratio, window = max(known)
    word = next((word for most, word in BURSTS if ratio <= most), BURSTIEST)
    seen = f"counts in {units.limit(window)} vary {ratio:.1f} times as much as Poisson's"
    beyond = "; arrivals bursty covers that" if ratio > BURSTS[0][0] and process.process is ARRIVALS.default else ""
    return [f"{planned}. The workload is {word} ({seen}){beyond}"]


def _set(sentence: str, width: int) -> list[str]:
    """Return a sentence in lines of at most `width`; parts with a gap between stay whole where they can."""
    lines: list[str] = []
    for part in sentence.split(GAP):
        if lines and len(lines[-1]) + len(GAP) + len(part) <= width:
            lines[-1] += GAP + part
        else:
            lines += wrap(part, max(width, 1))
    return lines
