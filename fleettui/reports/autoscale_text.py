"""What an autoscale study is asked with, as people type it: the delay and its stages, and the rules."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from fleettui.domain.autoscale import Delay, Event, EventKind, Rules
from fleettui.domain.bounds import MOST_RETRIES
from fleettui.domain.whole import whole
from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.quantity import Quantity

SECONDS = units.DURATION._replace(name="delay", accepted="a number with a unit: 300s, 5min, 0s", zero=True)
CYCLE = units.DURATION._replace(name="cycle", accepted="a number with a unit: 15s, 1min")
HOLD = SECONDS._replace(name="hold time")
BACKOFF = units.DURATION._replace(name="back-off", accepted="a number with a unit: 1s, 500ms")
SPEED = Quantity(
    name="load rate",
    units={"B/s": Fraction(1), "MB/s": Fraction(10**6), "GB/s": Fraction(10**9)},
    accepted="a number above 0 with a unit: 1GB/s, 500MB/s",
)
NUMBER = Quantity(name="number", units={"": Fraction(1)}, accepted="a number, 0 or above: 1.5", zero=True)
STEP = Quantity(name="step", units={"": Fraction(1)}, accepted="replicas a minute, above 0: 1, 0.5")
TARGET = units.SHARE._replace(name="target", accepted="a percentage above 0%, up to 100%: 70%", zero=False)
RESERVED = units.SHARE._replace(name="price", accepted="a percentage above 0%, up to 100%: 60%", zero=False)
"""Of a committed GPU, as a share of that on demand."""
STAGES: Mapping[str, tuple[str, Quantity]] = {
    "node": ("node", SECONDS),
    "image": ("image", SECONDS),
    "disk": ("load_rate", SPEED),
    "warm-up": ("warm_up", SECONDS),
    "cv": ("cv", NUMBER),
}
"""The stages of a delay, by the words for them, and the coefficient of variation of the whole."""
DELAYS = "a duration (300s), or stages that differ: node=180s,image=15s,disk=1GB/s,warm-up=140s; cv=0.3 scatters both"


def read_delay(text: str, where: str | None = None) -> Delay:
    """Return a delay: a duration in all, or stages, the others as they are by default, and how it scatters.

    Raises InputError for what is none.

    >>> read_delay("300s").typed, read_delay("node=0s,disk=5GB/s").seconds(70e9), read_delay("300s,cv=0.3").cv
    (300.0, 169.0, 0.3)
    """
    first, *others = text.split(",")
    found: dict[str, float] = {} if "=" in first else {"typed": SECONDS.parse(first, where)}
    for part in others if found else [first, *others]:
        name, _, value = part.strip().partition("=")
        known = name in STAGES and STAGES[name][0] not in found
        if not known or ("typed" in found and name != "cv"):
            raise InputError("this is no stage of a delay", where=where, value=part.strip(), accepted=DELAYS)
        field, quantity = STAGES[name]
        found[field] = quantity.parse(value, f"{where or 'delay'}: {name}")
    return Delay(**found)


def write_delay(delay: Delay) -> str:
    """Return the text that `read_delay` reads back.

    >>> write_delay(Delay(typed=300.0)), write_delay(Delay())
    ('300s', 'node=180s,image=15s,disk=1GB/s,warm-up=140s')
    """
    said = [SECONDS.write(delay.typed)] if delay.typed is not None else []
    for name, (field, quantity) in STAGES.items():
        if name == "cv" and delay.cv:
            said.append(f"cv={delay.cv:g}")
        elif name != "cv" and delay.typed is None:
            said.append(f"{name}={quantity.write(getattr(delay, field))}")
    return ",".join(said)


RULES: Mapping[str, tuple[str, Quantity]] = {
    "cycle": ("cycle", CYCLE),
    "beta": ("beta", NUMBER),
    "step": ("step", STEP),
    "target": ("target", TARGET),
    "hold": ("hold", HOLD),
    "retry-backoff": ("backoff", BACKOFF),
}
"""The rules that are no counts, by the options for them."""
EVENTS: Mapping[EventKind, tuple[Quantity, str]] = {
    "spike": (units.FACTOR, "spike=3x@14h+10min"),
    "prompts": (units.FACTOR, "prompts=2x@14h+1h"),
    "hits": (units.SHARE, "hits=0%@14h+1h"),
    "slow": (units.FACTOR, "slow=2x@14h+1h"),
    "loss": (units.SHARE, "loss=20%@14h"),
    "reclaim": (units.SHARE, "reclaim=20%@14h+2min"),
    "failed": (units.SHARE, "failed=30%@14h+1h"),
}
"""How the size of each kind of event is typed, and an example; only a loss has no time that it lasts."""


def read_event(text: str, where: str | None = None) -> Event:
    """Return an event; raises InputError.

    >>> read_event("spike=3x@14h+10min").seconds, read_event("loss=20%@14h").size
    (600.0, 0.2)
    """
    name, _, rest = text.strip().partition("=")
    size, at, when = rest.partition("@")
    start, plus, seconds = when.partition("+")
    for kind, (quantity, example) in EVENTS.items():
        if kind == name and at and bool(plus) == ("+" in example):
            return Event(
                kind=kind,
                size=quantity.parse(size, where),
                start=SECONDS.parse(start, where),
                seconds=CYCLE.parse(seconds, where) if plus else 0.0,
            )
    examples = ", ".join(example for _, example in EVENTS.values())
    raise InputError("this is no event", where=where, value=text, accepted=examples)


def write_event(event: Event) -> str:
    """Return the text that `read_event` reads back.

    >>> write_event(read_event("spike=3x@14h+10min")), write_event(read_event("loss=20%@90s"))
    ('spike=3x@14h+600s', 'loss=20%@90s')
    """
    quantity, start = EVENTS[event.kind][0], SECONDS.write(event.start)
    size = f"{event.size:g}x" if quantity is units.FACTOR else quantity.write(event.size)
    lasts = f"+{SECONDS.write(event.seconds)}" if event.seconds else ""
    return f"{event.kind}={size}@{start}{lasts}"


def read_rules(given: Mapping[str, Any]) -> Rules:
    """Return the rules that options ask for, by the options' names; raises InputError."""
    found: dict[str, Any] = {
        field: quantity.parse(given[option], f"--{option}")
        for option, (field, quantity) in RULES.items()
        if option in given
    }
    for option, field, least in (
        ("queue", "queue", 0),
        ("buffer", "buffer", 0),
        ("min", "least", 0),
        ("max", "most", 1),
        ("retries", "retries", 0),
        ("exclude", "exclude", 0),
    ):
        if option in given:
            found[field] = read_count(given[option], f"--{option}", least)
    if "retry-backoff" in given and not found.get("retries"):
        raise InputError("nobody comes again", where="--retry-backoff", remedy="add --retries 3")
    if found.get("retries", 0) > MOST_RETRIES:
        raise InputError(
            "this number of retries is too large",
            where="--retries",
            value=found["retries"],
            accepted=f"a whole number, 0 to {MOST_RETRIES}",
        )
    return Rules(**found)


def read_count(text: str, where: str, least: int) -> int:
    """Return a whole number of at least `least`; raises InputError."""
    found = whole(text)
    if found is None or found < least:
        raise InputError(f"this is no whole number, {least} or above", where=where, value=text)
    return found
