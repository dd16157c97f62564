"""What a study of money is asked with, as people type it: classes of prices, growth, a purchase, spot, extras."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from fleettui.domain.offers import PriceTerms
from fleettui.errors import InputError
from fleettui.reports import units
from fleettui.reports.quantity import Quantity
from fleettui.reports.question import time_spans
from fleettui.reports.question.price_keys import TERMS
from fleettui.reports.question.text_forms import POWER_PRICE

MOST_YEARS, MOST_MONTHS = 10, 6
"""Those that are looked at, and those of a capacity block: 182 days."""
LOST, AGAIN = 0.2, 600.0
"""The share of spot GPUs that is interrupted in a month (AWS p5: 15 to 20 %), and seconds until one is replaced."""
CAPEX = Quantity(
    name="price",
    prefix="$",
    units={"": Fraction(1)},
    scales={"k": Fraction(1000)},
    accepted="US dollars for one GPU with its share of server and network: 38k, 38000",
)
HOSTING = Quantity(
    name="price of hosting",
    prefix="$",
    units={"/kW-month": Fraction(12, 8760)},
    accepted="US dollars for a kW and a month: 150/kW-month",
    zero=True,
)
"""In US dollars per kW and hour."""
SHARE = units.SHARE._replace(name="share of spot", accepted="a percentage above 0%, up to 100%: 25%", zero=False)
HOST = Quantity(
    name="price of a host",
    prefix="$",
    units={"/GPU-h": Fraction(1)},
    accepted="US dollars for a rented GPU's share of a server, which its price leaves out, an hour: 0.25/GPU-h",
)
EGRESS = Quantity(
    name="price of egress",
    prefix="$",
    units={"/GB": Fraction(1, 10**9), "/TB": Fraction(1, 10**12)},
    aliases={"/B": Fraction(1)},
    accepted="US dollars for the bytes that leave: 0.09/GB",
)
"""In US dollars per byte."""
STORAGE = Quantity(
    name="price of storage",
    prefix="$",
    units={"/month": Fraction(12, 8760)},
    aliases={"/h": Fraction(1)},
    scales={"k": Fraction(1000)},
    accepted="US dollars for all that is stored, a month: 500/month",
)
"""In US dollars an hour."""
API = Quantity(
    name="price of an API",
    prefix="$",
    units={"/1M": Fraction(1, 10**6)},
    aliases={"/token": Fraction(1)},
    accepted="US dollars for 1M tokens, prompt and output together: 0.60/1M",
)
"""In US dollars for a token."""
BYTES = Quantity(
    name="size of a token",
    units={"B": Fraction(1), "kB": Fraction(1000)},
    accepted="bytes that leave for an output token: 4B as plain text, 230B as an event of a stream",
)
EVENT = (
    'data: {"id":"chatcmpl-0123456789abcdef0123456789abcdef","object":"chat.completion.chunk","created":1700000000,'
    '"model":"meta-llama/Llama-3.1-70B-Instruct","choices":[{"index":0,"delta":{"content":" word"},"logprobs":null,'
    '"finish_reason":null}]}\n\n'
)
"""What leaves for one token where OpenAI's API streams."""
NOTICES = {"aws": 120.0, "gcp": 30.0, "azure": 30.0}
"""Seconds between the warning and the end of a spot instance, by provider; others give none."""
_LOST = units.SHARE._replace(name="share that is interrupted", accepted="a percentage a month: 15%/month", zero=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """A class to pay by: of the price list, or at `typed` US dollars for a GPU and an hour."""

    terms: PriceTerms
    typed: float | None = None

    @property
    def text(self) -> str:
        """How it is typed."""
        return self.terms.text if self.typed is None else f"{self.terms.text}={units.PRICE.write(self.typed)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """GPUs that are bought at `capex` US dollars each for `life` years; `hosting` is US dollars per kW and hour."""

    capex: float
    life: int
    hosting: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What is asked of money: the `years` looked at, growth a month, the classes to pay by, a purchase, and spot.

    `spot` is the share of the most GPUs that may be spot, `lost` the share of them that is interrupted in a month,
    `again` the seconds until one that was taken serves elsewhere, `notice` those of warning before it is. A capacity
    block is taken for so many months, `block`. Beside a rented GPU's price `host` is paid, US dollars an hour; `egress`
    per byte of answers, `token_bytes` for each output token; `storage` US dollars an hour in all. `api` is the price
    of a token where somebody else serves.
    """

    years: int = 1
    growth: float = 0.0
    payments: tuple[Payment, ...] = ()
    prices: str | None = None
    purchase: Purchase | None = None
    power_price: float | None = None
    spot: float = 0.0
    lost: float = LOST
    again: float = AGAIN
    notice: float = 0.0
    block: int = 1
    host: float = 0.0
    egress: float = 0.0
    token_bytes: float = float(len(EVENT))
    storage: float = 0.0
    api: float | None = None

    @property
    def missing(self) -> float:
        """Seconds that an interrupted GPU is missing: from when it goes until another serves."""
        return max(0.0, self.again - self.notice)


def read_payment(text: str, where: str) -> Payment:
    """Return a class to pay by; raises InputError.

    >>> read_payment("reserved-1y=1.80", "").typed, read_payment("aws/spot", "").terms.provider
    (1.8, 'aws')
    """
    name, equals, price = text.partition("=")
    return Payment(terms=TERMS.read(name, where), typed=units.PRICE.parse(price, where) if equals else None)


def read_terms(given: Mapping[str, object]) -> Terms:
    """Return what is asked, by the texts of the options; raises InputError."""
    texts = {name: str(text) for name, text in given.items()}
    several = given.get("pay", ())
    payments = tuple(read_payment(str(one), "--pay") for one in (several if isinstance(several, tuple) else (several,)))
    classes = [one.terms.price_class for one in payments]
    if len(set(classes)) < len(classes):
        said = ", ".join(one.text for one in payments)
        raise InputError("a class is said twice", where="--pay", value=said, accepted="one seller for each class")
    years = _years(texts, "years", 1)
    for one in payments:
        _check_term(one, years)
    _check_together(texts, classes)
    return Terms(
        years=years,
        growth=time_spans.read_growth(texts["growth"], "--growth", zero=True) if "growth" in texts else 0.0,
        payments=payments,
        prices=texts.get("prices"),
        purchase=_purchase(texts),
        power_price=POWER_PRICE.read(texts["power-price"], "--power-price") if "power-price" in texts else None,
        spot=SHARE.parse(texts["spot"], "--spot") if "spot" in texts else 0.0,
        lost=_monthly(texts["interrupted"]) if "interrupted" in texts else LOST,
        again=units.DURATION.parse(texts["again"], "--again") if "again" in texts else AGAIN,
        notice=_notice(texts, payments),
        block=_whole(texts, "block", 1, MOST_MONTHS, "months"),
        api=API.parse(texts["api"], "--api") if "api" in texts else None,
        **{name: read.parse(texts[name], f"--{name}") for name, read in EXTRAS.items() if name in texts},
        **({"token_bytes": BYTES.parse(texts["token-bytes"], "--token-bytes")} if "token-bytes" in texts else {}),
    )


EXTRAS = {"host": HOST, "egress": EGRESS, "storage": STORAGE}
"""What is paid beside the prices of GPUs, by its option."""


def _check_together(texts: Mapping[str, str], classes: Collection[str]) -> None:
    for name, needs in (("block", "capacity-block" in classes), ("token-bytes", "egress" in texts)):
        if name in texts and not needs:
            other = {"block": "--pay capacity-block", "token-bytes": "--egress 0.09/GB"}[name]
            raise InputError(f"this goes with {other}", where=f"--{name}", value=texts[name], remedy=f"add {other}")


def _notice(texts: Mapping[str, str], payments: Iterable[Payment]) -> float:
    """Return the seconds of warning that are said, or that the provider of spot gives; 0 where neither is known."""
    if "notice" in texts:
        return units.THINK_TIME.parse(texts["notice"], "--notice")
    sellers = (one.terms.provider for one in payments if one.terms.price_class == "spot" and one.typed is None)
    return NOTICES.get(next(sellers, ""), 0.0)


def _check_term(one: Payment, years: int) -> None:
    from fleettui.domain.offers import YEARS

    term = YEARS.get(one.terms.price_class, 0)
    if term > years:
        raise InputError(
            "this commits for longer than is looked ahead",
            where="--pay",
            value=one.text,
            accepted=f"classes of up to {years} years",
            remedy=f"look further, --years {term}, or leave it out",
        )


def _years(texts: Mapping[str, str], name: str, unsaid: int) -> int:
    return _whole(texts, name, unsaid, MOST_YEARS, "years")


def _whole(texts: Mapping[str, str], name: str, unsaid: int, most: int, what: str) -> int:
    text = texts.get(name, str(unsaid)).strip()
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:4]) <= most):
        raise InputError(f"these are no {what}", where=f"--{name}", value=text, accepted=f"1 to {most}")
    return int(text)


def _purchase(texts: Mapping[str, str]) -> Purchase | None:
    if "buy" not in texts:
        for name in ("life", "hosting"):
            if name in texts:
                raise InputError("this goes with --buy", where=f"--{name}", remedy="add --buy 38k")
        return None
    hosting = HOSTING.parse(texts["hosting"], "--hosting") if "hosting" in texts else 0.0
    return Purchase(capex=CAPEX.parse(texts["buy"], "--buy"), life=_years(texts, "life", 4), hosting=hosting)


def _monthly(text: str) -> float:
    share, slash, unit = text.partition("/")
    if slash and unit.strip().lower() != "month":
        raise InputError("this is no rate", where="--interrupted", value=text, accepted="a share a month: 15%/month")
    value = _LOST.parse(share, "--interrupted")
    if value >= 1.0:
        raise InputError("all of them a month is no rate", where="--interrupted", value=text, accepted="below 100%")
    return value


def write_terms(terms: Terms) -> str:
    """Return the options that ask for it."""
    words = [f"--years {terms.years}"]
    words += [f"--growth {100 * terms.growth:.6g}%/month"] * bool(terms.growth)
    words += [f"--pay {one.text}" for one in terms.payments]
    words += [f"--prices {terms.prices}"] * bool(terms.prices)
    bought = terms.purchase
    if bought is not None:
        words.append(f"--buy {bought.capex:g} --life {bought.life} --hosting {bought.hosting * 730:.6g}/kW-month")
    words += [f"--power-price {POWER_PRICE.write(terms.power_price)}"] if terms.power_price is not None else []
    if terms.spot:
        words.append(f"--spot {units.SHARE.write(terms.spot)} --interrupted {100 * terms.lost:.6g}%/month")
        words.append(f"--again {units.DURATION.write(terms.again)}")
        words += [f"--notice {units.DURATION.write(terms.notice)}"] if terms.notice else []
    words += [f"--block {terms.block}"] * (terms.block != 1)
    words += [f"--{name} {read.write(value)}" for name, read in EXTRAS.items() if (value := getattr(terms, name))]
    words += [f"--api {API.write(terms.api)}"] if terms.api is not None else []
    words += [f"--token-bytes {BYTES.write(terms.token_bytes)}"] * (terms.token_bytes != len(EVENT))
    return " ".join(words)
