"""What the GPUs of a kept plan cost in each class: as it was planned, as typed, of the price list, or bought."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from fleettui.domain.commitment import owned_per_hour
from fleettui.domain.fleet import counted
from fleettui.domain.meter import feed
from fleettui.domain.money import BOUGHT, Tariff, Tariffs
from fleettui.domain.need import MONTHS
from fleettui.domain.offers import YEARS, Offer, PriceClass, matching
from fleettui.domain.plan import Candidate
from fleettui.errors import InputError
from fleettui.hardware.price_list import offers
from fleettui.planning.kept_plan import KeptPlan
from fleettui.reports import units
from fleettui.reports.money_text import Payment, Terms
from fleettui.reports.price_text import class_of, price_tags

ON_DEMAND: PriceClass = "on-demand"
SPOT: PriceClass = "spot"
BLOCK: PriceClass = "capacity-block"
POWER_PRICE = 0.10
"""US dollars for a kWh of GPUs that are bought, where nobody says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBook:
    """The prices of a kept plan's GPUs under what is asked."""

    kept: KeptPlan
    best: Candidate
    terms: Terms

    def tariffs(self) -> dict[str, Tariffs]:
        """Return the tariffs by GPU type; raises InputError where a class that is asked for has no price."""
        asked = {one.terms.price_class: one for one in self.terms.payments}
        by_class = {name: self._class(name, asked.get(name)) for name in self._classes(asked)}
        rented = self._class(ON_DEMAND, asked[ON_DEMAND]) if ON_DEMAND in asked else self._planned()
        found = {}
        for gpu in self.best.fleet.gpus_by_type:
            held: dict[str, Tariff] = {name: own[gpu] for name, own in by_class.items() if own and name != SPOT}
            if self.terms.purchase is not None:
                held[BOUGHT] = self._bought(gpu)
            spot = by_class.get(SPOT) or {}
            if self.terms.spot and gpu not in spot:
                raise _unpriced(gpu, SPOT)
            found[gpu] = Tariffs(on_demand=rented[gpu], committed=held, spot=spot.get(gpu))
        return found

    def bought_for_life(self) -> dict[str, Tariff]:
        """Return what each GPU type costs where it is bought for all years that it serves; empty where none is."""
        bought = self.terms.purchase
        if bought is None:
            return {}
        whole = replace(self, terms=replace(self.terms, years=bought.life))
        return {gpu: whole._bought(gpu) for gpu in self.best.fleet.gpus_by_type}

    def _classes(self, asked: Mapping[PriceClass, Payment]) -> list[PriceClass]:
        """Return the classes beside on demand: those that fit into the years, spot if it is wanted, all asked."""
        found = [name for name, years in YEARS.items() if years <= self.terms.years]
        found += [SPOT] if self.terms.spot else []
        return list(dict.fromkeys((*found, *(name for name in asked if name != ON_DEMAND))))

    def _class(self, name: PriceClass, asked: Payment | None) -> dict[str, Tariff]:
        """Return the tariffs of a class by GPU type: as it is asked for, else of the seller who is cheapest.

        Empty where nobody asked for it and nobody sells all of the plan's GPUs so.
        """
        gpus = self.best.fleet.gpus_by_type
        if asked is None:
            return self._cheapest(name)
        if asked.typed is not None:
            if len(gpus) > 1:
                raise InputError(
                    "one price does not fit several GPU types",
                    where="--pay",
                    value=asked.text,
                    remedy="write them into a price list: --prices FILE",
                )
            return {gpu: self._typed(gpu, name, asked.typed) for gpu in gpus}
        listed = [one for one in offers(self.terms.prices) if one.gpu in gpus]
        sold = {one.gpu: one for one in matching(listed, asked.terms, "--pay").offered}
        for gpu in gpus:
            if gpu not in sold:
                raise _unpriced(gpu, asked.terms.text)
        return {gpu: self._tariff(sold[gpu]) for gpu in gpus}

    def _cheapest(self, name: PriceClass) -> dict[str, Tariff]:
        gpus = self.best.fleet.gpus_by_type
        sellers: dict[tuple[str, str], dict[str, Offer]] = {}
        for one in offers(self.terms.prices):
            if one.price_class == name and one.gpu in gpus:
                sellers.setdefault((one.provider, one.region), {})[one.gpu] = one
        whole = [own for own in sellers.values() if len(own) == len(gpus)]
        if not whole:
            return {}
        least = min(whole, key=lambda own: sum(one.per_hour * gpus[gpu] for gpu, one in own.items()))
        return {gpu: self._tariff(one) for gpu, one in least.items()}

    def _planned(self) -> dict[str, Tariff]:
        """Return the plan's own prices, as those on demand; raises InputError where they are of another class."""
        terms, tags = self.kept.question.price_terms, price_tags(self.best, self.kept.question)
        if any(tag.is_listed for tag in tags) and terms is not None and terms.price_class != ON_DEMAND:
            raise InputError(
                f"the plan is priced as {terms.text}, so what a GPU costs on demand is not known",
                where=f"plan {self.kept.handle}: price-class",
                remedy="say it: --pay aws/us-east-1/on-demand, or --pay on-demand=2.95",
            )
        listed = {one.gpu: one for one in terms.offered} if terms is not None else {}
        told = {tag.gpu: tag for tag in tags}
        found = {}
        for gpu in self.best.fleet.gpus_by_type:
            tag = told.get(gpu)
            if tag is not None and tag.is_listed:
                found[gpu] = self._tariff(listed[gpu])
                continue
            price = next(one.price_per_hour for one in self.kept.profiles if one.gpu == gpu)
            dated = tag.offer.date if tag is not None and tag.offer is not None else ""
            sold = class_of(tag) if tag is not None else "as the plan has it"
            found[gpu] = Tariff(gpu=gpu, name=ON_DEMAND, per_hour=price, seller=sold, date=dated, host=self.terms.host)
        return found

    def _months(self, name: PriceClass) -> int:
        """Return the months that a class commits to."""
        return self.terms.block if name == BLOCK else YEARS.get(name, 0) * MONTHS

    def _tariff(self, one: Offer) -> Tariff:
        return Tariff(
            gpu=one.gpu,
            name=one.price_class,
            per_hour=one.per_hour,
            seller=one.seller,
            date=one.date,
            gpus=one.gpus,
            months=self._months(one.price_class),
            host=self.terms.host,
        )

    def _typed(self, gpu: str, name: PriceClass, price: float) -> Tariff:
        months = self._months(name)
        return Tariff(
            gpu=gpu, name=name, per_hour=price, seller="as typed", date="", months=months, host=self.terms.host
        )

    def _bought(self, gpu: str) -> Tariff:
        bought, question = self.terms.purchase, self.kept.question
        assert bought is not None, "asked where something is bought"
        price = self.terms.power_price or question.power_price or POWER_PRICE
        years, watts = min(bought.life, self.terms.years), feed(question, self.best.power / self.best.gpus, 1.0)
        own = partial(owned_per_hour, capex=bought.capex, years=years, resale=0.0, power_price=price)
        cost, alone = own(watts=watts, hosting=bought.hosting), own(watts=0.0, hosting=0.0)
        shares = [units.cents_per_hour(part) for part in (alone, cost - alone)]
        told = f"as {shares[0]} over {counted(years, 'year')} + {shares[1]} for {watts / 1e3:.3g} kW at the meter"
        return Tariff(gpu=gpu, name=BOUGHT, per_hour=cost, seller=told, date="", months=self.terms.years * MONTHS)


def _unpriced(gpu: str, what: str) -> InputError:
    return InputError(
        f"no {what} price of this GPU is known",
        where="--pay",
        value=gpu,
        remedy=f"type it, --pay {what.rpartition('/')[2]}=2.10, or give a list: --prices FILE",
    )
