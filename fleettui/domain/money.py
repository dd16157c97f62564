"""Ways to pay for the GPUs that a fleet needs over years: committed, rented by the hour, as spot, or bought.

US dollars an hour for a GPU, years of 8,760 hours in twelve equal months.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fleettui.domain.commitment import Cut, best_cut, duration_curve
from fleettui.domain.need import FIFTHS, HOURS, MONTHS, NEAR, Need

BOUGHT = "bought"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """What a GPU costs in a class: the `seller` and the `date` of the price, and how many `gpus` come together.

    `months` are those that it commits to, 0 where it does not; `host` are US dollars an hour for the share of a server,
    which the price leaves out.
    """

    gpu: str
    name: str
    per_hour: float
    seller: str
    date: str
    gpus: int = 1
    months: int = 0
    host: float = 0.0

    @property
    def paid(self) -> float:
        """US dollars an hour in all."""
        return self.per_hour + self.host


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariffs:
    """What one GPU type costs on demand, committed by the name of the class, and as spot where that is asked for."""

    on_demand: Tariff
    committed: Mapping[str, Tariff]
    spot: Tariff | None = None

    def times(self, factors: Mapping[str, float]) -> Tariffs:
        """Return the same with the prices of `on-demand`, `committed` and `spot` times a factor."""

        def moved(one: Tariff, kind: str) -> Tariff:
            return replace(one, per_hour=one.per_hour * factors.get(kind, 1.0))

        return Tariffs(
            on_demand=moved(self.on_demand, "on-demand"),
            committed={name: moved(one, "committed") for name, one in self.committed.items()},
            spot=None if self.spot is None else moved(self.spot, "spot"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """One GPU type in the months from `start` to `end`: what is paid for in units of `unit` GPUs, and how it is cut.

    `shares` is the duration curve of its units that was cut.
    """

    gpu: str
    start: int
    end: int
    unit: int
    committed: Tariff | None
    cut: Cut
    shares: tuple[float, ...] = ()

    @property
    def hours(self) -> float:
        """How long it lasts."""
        return (self.end - self.start) * HOURS / MONTHS

    @property
    def reserved(self) -> int:
        """The GPUs that are committed to."""
        return self.cut.reserved * self.unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way to pay, period by period and GPU type by GPU type.

    A `static` one pays all day for the most GPUs that the day needs; the others for those that a rate needs at once.
    """

    name: str
    periods: tuple[Period, ...]
    static: bool = False

    @property
    def steady(self) -> bool:
        """Whether as many GPUs are held all the time of each period."""
        return self.static and all(share == 1.0 for one in self.periods for share in one.shares)

    @property
    def dollars(self) -> float:
        """US dollars in all."""
        return math.fsum(one.cut.cost * one.hours for one in self.periods)

    @property
    def per_hour(self) -> float:
        """US dollars an hour on average."""
        return self.dollars / (HOURS / MONTHS * max(one.end for one in self.periods))

    @property
    def starts(self) -> tuple[int, ...]:
        """The months in which a term of any GPU type begins."""
        return tuple(sorted({one.start for one in self.periods}))

    def gpus(self, part: str, month: int) -> int:
        """Return the GPUs of a part of the cut (reserved, spot, on_demand) in the periods that a month falls into."""
        now = (one for one in self.periods if one.start <= month < one.end)
        return sum(getattr(one.cut, part) * one.unit for one in now)

    def most(self, part: str) -> int:
        """Return the GPUs of a part of the cut in the period that has most."""
        return max(self.gpus(part, start) for start in self.starts)

    def first(self, part: str) -> int:
        """Return the GPUs of a part of the cut in the first period."""
        return self.gpus(part, 0)


def way(
    name: str,
    need: Need,
    tariffs: Mapping[str, Tariffs],
    *,
    committed: str = "",
    spot: float = 0.0,
    static: bool = False,
    whole: bool = False,
) -> Way:
    """Return a way to pay: GPUs committed to in a class if one is said, up to the share `spot` of the most as spot.

    A commitment is taken anew when it ends; what is left of the horizon that it is too long for goes without. Where it
    is `static` the most of each day is paid for all day: what is not committed to is on demand from the day on that
    growth needs it. With `whole` all is committed to, whatever that costs.
    """
    periods = []
    for gpu, own in tariffs.items():
        tariff = own.committed.get(committed)
        for start, end in _terms(need.years * MONTHS, tariff.months if tariff else MONTHS):
            fits = tariff if tariff is not None and end - start == tariff.months else None
            used = (own.on_demand, fits, own.spot if spot else None)
            unit = math.lcm(need.replica(gpu), *(one.gpus for one in used if one is not None))
            spans = tuple((length, -(-count // unit)) for length, count in need.spans(gpu, start, end, peak=static))
            shares = duration_curve(spans)
            cut = best_cut(
                shares,
                on_demand=own.on_demand.paid * unit,
                reserved=None if fits is None else fits.paid * unit,
                least=len(shares) if whole and fits is not None else 0,
                spot=None if own.spot is None else own.spot.paid * unit,
                most_spot=math.floor(spot * len(shares) + NEAR),
            )
            periods.append(Period(gpu=gpu, start=start, end=end, unit=unit, committed=fits, cut=cut, shares=shares))
    return Way(name=name, periods=tuple(periods), static=static)


def _terms(months: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield terms of a length one after the other, then what is left by the year."""
    whole = months // length * length
    yield from ((start, start + length) for start in range(0, whole, length))
    yield from ((start, min(start + MONTHS, months)) for start in range(whole, months, MONTHS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A price of a commitment, US dollars for a GPU and an hour, beyond which `units` more or fewer are worth it."""

    price: float
    units: int


def turns(one: Period, on_demand: Tariff) -> tuple[Turn | None, Turn | None]:
    """Return below which price of a commitment more units, and above which fewer, are worth committing to.

    None where all units, or none, are committed to. Without spot it is the share of the time in which the unit is
    needed times the price on demand; units that are needed as long go together.
    """
    held, shares = one.cut.reserved, one.shares

    def turn(place: int, others: Sequence[float]) -> Turn:
        alike = sum(math.isclose(share, shares[place], rel_tol=NEAR) for share in others)
        return Turn(price=on_demand.paid * shares[place], units=alike)

    more = turn(held, shares[held:]) if held < len(shares) else None
    fewer = turn(held - 1, shares[:held]) if held else None
    return more, fewer


def ways(need: Need, tariffs: Mapping[str, Tariffs], *, spot: float = 0.0) -> tuple[Way, ...]:
    """Return every way to pay, the peak on demand first.

    One that is called by a class commits to some: where that costs more, to all that the peak takes.
    """
    names: Sequence[str] = tuple(dict.fromkeys(name for own in tariffs.values() for name in own.committed))
    found = [way("peak, on demand", need, tariffs, static=True)]
    found += [_held(name, need, tariffs) for name in names]
    if spot:
        found.append(way("peak, on demand + spot", need, tariffs, spot=spot, static=True))
        found += [way(f"peak, {name} + spot", need, tariffs, committed=name, spot=spot, static=True) for name in names]
    found.append(way("on demand as needed", need, tariffs))
    found += [way(f"{name} + on demand", need, tariffs, committed=name) for name in names]
    if spot:
        found.append(way("on demand + spot", need, tariffs, spot=spot))
        found += [way(f"{name} + on demand + spot", need, tariffs, committed=name, spot=spot) for name in names]
    return tuple(one for one in found if one.first("reserved") or not any(name in one.name for name in names))


def _held(name: str, need: Need, tariffs: Mapping[str, Tariffs]) -> Way:
    """Return the peak with GPUs that are committed to in a class: as many as are worth it, all where none is."""
    own = way(f"peak, {name}", need, tariffs, committed=name, static=True)
    if own.first("reserved"):
        return own
    return way(f"peak, all {name}", need, tariffs, committed=name, static=True, whole=True)


def moved(
    need: Need, tariffs: Mapping[str, Tariffs], best: Callable[[Sequence[Way]], Way], spot: float
) -> Iterator[tuple[str, Way]]:
    """Yield the best way where a class of prices, or the load, is a fifth less or more."""
    for what in ("on-demand", "committed", "spot", "load"):
        if what == "spot" and not spot:
            continue
        for factor in FIFTHS:
            changed = {gpu: one.times({what: factor}) for gpu, one in tariffs.items()}
            asked = replace(need, load=factor) if what == "load" else need
            yield f"{what} {'-' if factor < 1 else '+'}20%", best(ways(asked, changed, spot=spot))


def buy_or_rent(
    need: Need,
    over: Iterable[tuple[int, Mapping[str, Tariffs]]],
    best: Callable[[Sequence[Way]], Way],
    spot: float,
) -> Iterator[tuple[int, Way, Way]]:
    """Yield the best way to rent and the best way with bought GPUs where so many years are looked at."""
    for years, tariffs in over:
        rented = {
            gpu: replace(own, committed={name: one for name, one in own.committed.items() if name != BOUGHT})
            for gpu, own in tariffs.items()
        }
        owned = {gpu: replace(own, committed={BOUGHT: own.committed[BOUGHT]}) for gpu, own in tariffs.items()}
        looked = replace(need, years=years)
        own_ways = [one for one in ways(looked, owned, spot=spot) if BOUGHT in one.name]
        yield years, best(ways(looked, rented, spot=spot)), best(own_ways)
