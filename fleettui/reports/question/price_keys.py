"""The parts of a question about prices: typed ones, or a class of a price list; and what the class comes to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from fleettui.domain.offers import PRICE_CLASSES, PriceTerms
from fleettui.errors import InputError
from fleettui.reports.question.key import Key
from fleettui.reports.question.text_forms import PRICE, TEXT, Form, pairs

PRICES, CLASS, LIST, WHOLE = "price", "price-class", "prices", "whole-nodes"
PAYMENT = (PRICES, CLASS, LIST)
"""The keys that together say what a GPU-hour costs."""
ACCEPTED = f"{', '.join(PRICE_CLASSES)}; before it a provider, and a region: aws/us-east-1/spot"


def _read(text: str, where: str | None) -> PriceTerms:
    from fleettui.hardware.price_list import class_named

    *seller, name = (part.strip().lower() for part in text.split("/"))
    if len(seller) > 2 or not all(seller):
        raise InputError("this is no class of price", where=where, value=text, accepted=ACCEPTED)
    provider, region = (*seller, "", "")[:2]
    return PriceTerms(price_class=class_named(name, where), provider=provider, region=region)


TERMS = Form(_read, lambda terms: terms.text)
"""A class of prices, of a provider and in a region where they are said."""
_Setting = partial(Key, is_setting=True, of_given=True)

PRICE_KEYS = (
    _Setting(
        PRICES,
        pairs(PRICE, "dollars per GPU-hour by name: h100=2.10,a100=1.20"),
        "h100=2.10",
        "US dollars per GPU-hour, instead of the catalogue's",
        fills="prices",
    ),
    _Setting(
        CLASS,
        TERMS,
        "coreweave/reserved-1y",
        "how GPUs are paid: a class of the price list, as aws/spot",
        fills="price_terms",
    ),
    _Setting(
        LIST, TEXT, "prices.csv", "a price list of one's own, before the shipped", fills="price_list", is_swept=False
    ),
)


def check_class(path: str, where: str) -> None:
    """Raise InputError, since the price list at `path` is given without a class; it says which the list has."""
    from fleettui.hardware.price_list import offers

    sold = dict.fromkeys(f"{one.provider}/{one.price_class}" for one in offers(path) if one.own)
    raise InputError(
        f"a price list goes with --{CLASS}",
        where=where,
        value=path,
        accepted=", ".join(sold) or ACCEPTED,
        remedy=f"add --{CLASS} {next(iter(sold), PRICE_CLASSES[0])}",
    )


def priced(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `values` with the class of prices looked up in the price list, unless it was; typed prices stay.

    Where all that is offered comes as nodes, eight H100 as one p5, whole ones are paid for unless something else is
    said. Raises InputError where the list does not have what is asked for, or not for a GPU that is named.
    """
    terms: PriceTerms | None = values.get(CLASS)
    if terms is None:
        return dict(values)
    from fleettui.hardware.price_list import offered

    found = terms if terms.offered else offered(terms, values.get(LIST), f"--{CLASS}")
    prices = found.prices() | dict(values.get(PRICES, ()))
    _check_named(found, values.get("gpu", ()), prices)
    whole = {WHOLE: True} if comes_as_nodes(found) else {}
    return {**whole, **values, CLASS: found, PRICES: tuple(sorted(prices.items()))}


def comes_as_nodes(terms: PriceTerms) -> bool:
    """Return whether everything that is offered is a node of several GPUs."""
    from fleettui.hardware import catalog

    nodes = {name: catalog.gpu(name).gpus_per_node for name in catalog.gpu_names()}
    return bool(terms.offered) and all(one.gpus == nodes.get(one.gpu, 1) > 1 for one in terms.offered)


def _check_named(terms: PriceTerms, named: Iterable[str], prices: Mapping[str, float]) -> None:
    from fleettui.domain.path_or_name import GPU_FILE, is_path
    from fleettui.domain.scenario import EVERY_GPU

    for gpu in named:
        if gpu not in prices and gpu != EVERY_GPU and not is_path(gpu, GPU_FILE):
            raise InputError(
                f"the price list has no {terms.text} price of this GPU",
                where=f"--{CLASS}",
                value=gpu,
                accepted=", ".join(sorted(prices)),
                remedy=f"type it, --price {gpu}=2.10, or leave the GPU out",
            )


def typed(terms: PriceTerms | None, prices: Iterable[tuple[str, float]]) -> tuple[tuple[str, float], ...]:
    """Return the prices that somebody typed: those that no class of a list gave."""
    return tuple((gpu, cost) for gpu, cost in prices if terms is None or terms.offer(gpu, cost) is None)
