"""How the texts of studies' options are read and written, by the names that an Argument's `reads` may have."""

from __future__ import annotations

import math
from typing import Any

from fleettui.domain import agents, rollout
from fleettui.domain.afd import AfdLayout
from fleettui.domain.registry import Registry
from fleettui.errors import InputError, UnknownNameError
from fleettui.reports import units
from fleettui.reports.burst_text import SECONDS
from fleettui.reports.link_units import LINK
from fleettui.reports.question.text_forms import Form, of_quantity
from fleettui.routing import ROUTERS
from fleettui.scheduling import SCHEDULERS


def some_of(registry: Registry[Any]) -> Form:
    """Return the form of one or more names of a registry with commas, in its order; raises UnknownNameError."""

    def read(text: str, where: str | None) -> tuple[str, ...]:
        named = {registry.named(name.strip(), where).name for name in text.split(",")}
        return tuple(name for name in registry.names if name in named)

    return Form(read, ",".join, several="in a row")


def rising(form: Form) -> Form:
    """Return the form of one or more values with commas, in rising order, each once."""

    def read(text: str, where: str | None) -> tuple[float, ...]:
        return tuple(sorted({form.read(one, where) for one in text.split(",")}))

    return Form(read, lambda values: ",".join(map(form.write, values)), several="in a row")


def _read_afd(text: str, _: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(AfdLayout.read(one).text for one in text.split(",")))


def _read_priced(text: str, where: str | None) -> tuple[str, float | None]:
    """Return a GPU's name, and its price in US dollars an hour where that is said: h20=1.20."""
    name, _, price = text.partition("=")
    return name.strip().lower(), units.PRICE.parse(price, where) if price else None


def _write_priced(gpu: tuple[str, float | None]) -> str:
    name, price = gpu
    return name if price is None else f"{name}={units.PRICE.write(price)}"


def _read_speed(text: str, where: str | None) -> float:
    share = units.SHARE.parse(text, where)
    if not 0.0 < share < 1.0:
        raise InputError("this is no share of a replica's speed", where=where, value=text, accepted="such as 50%")
    return share


LOAD = units.SHARE._replace(name="load", limit=math.inf, zero=False, accepted="a percentage, or a number: 95%, 1.1")
DURATION, SHARE = of_quantity(units.DURATION), of_quantity(units.SHARE)

FORMS: dict[str, Form] = {
    "AFD layouts": Form(_read_afd, ",".join, several="in a row"),
    "bandwidth": of_quantity(LINK),
    "count": of_quantity(units.COUNT),
    "duration": DURATION,
    "durations": rising(DURATION),
    "gpu": Form(lambda text, _: text.strip().lower(), str),
    "gpu at a price": Form(_read_priced, _write_priced),
    "load": of_quantity(LOAD),
    "pause": of_quantity(units.THINK_TIME),
    "rate": of_quantity(units.RATE),
    "rounds": Form(lambda text, where: agents.template(text, where or ""), agents.written),
    "routers": some_of(ROUTERS),
    "schedulers": some_of(SCHEDULERS),
    "share": SHARE,
    "shares": rising(SHARE),
    "speed": Form(_read_speed, units.SHARE.write),
    "span": of_quantity(SECONDS),
    "tail": Form(lambda text, _: rollout.Tail.read(text).text, str),
    "tp": Form(lambda text, where: rollout.layout(text, where or ""), lambda gpus: f"tp{gpus}"),
}


def form_of(name: str) -> Form:
    """Return the form of this name; raises UnknownNameError."""
    if name not in FORMS:
        raise UnknownNameError("form of an argument", name, FORMS)
    return FORMS[name]
