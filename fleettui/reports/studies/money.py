"""What a kept plan's GPUs cost over years as a study: ways to pay, what breaks even, what a request costs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby

from fleettui.domain.commitment import break_even, spares
from fleettui.domain.fleet import counted
from fleettui.domain.money import BOUGHT, Period, Tariff, Way, buy_or_rent, turns
from fleettui.domain.study import Study
from fleettui.domain.unit_cost import HOURS_PER_MONTH
from fleettui.reports import confidence_text, units
from fleettui.reports.money_text import write_terms
from fleettui.reports.price_text import OLD, age
from fleettui.reports.studies.money_case import Asked, Story, Taken, cheapest
from fleettui.reports.studies.money_replayed import Replayed, replayed
from fleettui.reports.studies.money_tables import CERTAIN, tables
from fleettui.reports.studies.subject import signed_percent

MOST_TERMS = 3
"""Terms of which each one's GPUs are told in the first sentence."""


def money_study(asked: Asked) -> Study:
    """Return the study of the ways to pay for a plan's GPUs; the cheapest is the answer."""
    story = Story(asked=asked)
    called, terms = asked.plan.plan, write_terms(asked.terms)
    return Study.of(
        called,
        kind="money",
        title=f"{called.called}: what its GPUs cost over {_years(story)}",
        question=" ".join(filter(None, [f"money {called.handle}", asked.day_option, terms])),
        sentences=_sentences(story),
        tables=tables(story),
        warnings=_warnings(story),
    )


def _sentences(story: Story) -> Iterator[str]:
    best = story.best
    saved, peak = best.dollars / story.peak.dollars - 1.0, units.dollars_per_hour(story.peak.per_hour)
    against = f", {signed_percent(saved)} against on demand, {peak}" if best is not story.peak else ""
    extras = f"; {units.cents_per_hour(story.extras)} more for {story.beside}" if story.extras else ""
    yield f"cheapest without autoscaling: {_parts(best)}: {units.cents_per_hour(best.per_hour)}{against}{extras}"
    yield from _followed(story)
    told = (
        f"{one.gpu.upper()} {one.name} {units.cents_per_hour(one.per_hour)}, {_dated(one)}" for one in story.everything
    )
    yield f"prices per GPU: {'; '.join(told)}"
    for own in story.asked.tariffs.values():
        for one in own.committed.values():
            yield _break_even(story, one, own.on_demand)
    yield from _turns(story)
    yield _served(story)
    yield from _against_api(story)
    yield from _bought(story)
    if story.asked.taken is not None:
        yield from _interrupted(story, story.asked.taken)


def _parts(one: Way) -> str:
    """Return the name of a way to pay, and the GPUs of each class, term by term; of many the first and the last."""
    when = "" if one.steady else " as growth needs them" if one.static else " at most"
    terms = [told for told, _ in groupby(_of_term(one, start) for start in one.starts)]
    later = [f"then {told}" for told in terms[1:]]
    if len(terms) > MOST_TERMS:
        later = [f"{terms[-1]} in the last of {len(one.starts)} terms"]
    return ", ".join((one.name, f"{terms[0]} GPUs{when}", *later))


def _of_term(one: Way, start: int) -> str:
    words = (("reserved", "committed"), ("on_demand", "on demand"), ("spot", "as spot"))
    counts = [(one.gpus(part, start), told) for part, told in words]
    return " + ".join(f"{count} {told}" for count, told in counts if count)


def _followed(story: Story) -> Iterator[str]:
    """Yield what following the rate costs: as replayed, where a study tells it, and if it were done at once.

    Policies may cost less than that, as they load replicas more than the plan does.
    """
    share = _share(story)
    unlike = ", ".join(_unlike(story))
    known = None if share is None or unlike else replayed(story.asked.replays, story.asked.day_option, share)
    if known is not None and share is not None:
        yield _as_replayed(story, known, share)
    if story.bound is None:
        return
    reserved = "" if share is None else f" --reserved {100.0 * share:.3g}%"
    command = " ".join(filter(None, ("fleettui autoscale", story.asked.plan.plan.handle, story.asked.day_option)))
    plays = f"{command}{reserved} replays those that one can run{f', {unlike}' if unlike else ''}"
    told = "" if known is not None else f"; {plays}"
    yield (
        f"if replicas followed the rate at once, sized as planned, which none do: {_parts(story.bound)}: "
        f"{units.cents_per_hour(story.bound.per_hour)} on average{told}"
    )


def _as_replayed(story: Story, known: Replayed, share: float) -> str:
    """Return what a policy cost with the best commitment, the plan's spares committed to beside it."""
    spares = share * sum(
        pool.spares * pool.gpus_per_replica * story.asked.tariffs[pool.gpu].on_demand.paid
        for pool in story.asked.need.fleet.pools
    )
    return (
        f"following the rate by {known.policy}, as replayed: {units.cents_per_hour(known.cost + spares)} on average "
        f"with {counted(known.gpus)}{' and the spares' * bool(spares)} committed; {known.kept} "
        f"(fleettui show {known.study})"
    )


def _share(story: Story) -> float | None:
    """Return the price of what the bound commits to, of that on demand; None where there is none or several."""
    held = {(one.gpu, one.committed) for one in (story.bound or story.best).periods if one.start == 0}
    shares = {break_even(one.paid, story.asked.tariffs[gpu].on_demand.paid) for gpu, one in held if one is not None}
    return shares.pop() if len(shares) == 1 else None


def _unlike(story: Story) -> Iterator[str]:
    """Yield in what the prices or loads of a replay are others than these."""
    terms = story.asked.terms
    if terms.growth:
        yield "without growth"
    if terms.host:
        yield "without --host"
    if any("on-demand" in one.text for one in terms.payments):
        yield "at the plan's prices on demand"


def _break_even(story: Story, one: Tariff, on_demand: Tariff) -> str:
    """Return from when on a commitment pays; of what serves longer than is looked at, over both times."""
    called, share = f"{one.gpu.upper()} {one.name}", break_even(one.paid, on_demand.paid)
    pays = f"pays for a GPU that is needed {_hours(share)} or more, {units.percent(share)} of the time"
    dear = "costs no less than on demand"
    bought = story.asked.terms.purchase
    if one.name != BOUGHT or bought is None or bought.life <= story.asked.terms.years:
        return f"{called} {dear}, so it never pays" if share >= 1.0 else f"{called} {pays}"
    whole, over = break_even(story.asked.for_life[one.gpu].paid, on_demand.paid), f"over {_years(story)}"
    life = f"over the {bought.life} that it serves"
    if whole >= 1.0:
        return f"{called} {dear}, {over} and {life}, so it never pays"
    first = f"{called} {dear} {over}" if share >= 1.0 else f"{called} {pays}, {over}"
    return f"{first}; {life} it pays from {_hours(whole)} on, {units.percent(whole)} of the time"


def _hours(share: float) -> str:
    return f"{HOURS_PER_MONTH * share:,.0f} hours a month"


def _years(story: Story) -> str:
    return counted(story.asked.terms.years, "year")


def _turns(story: Story) -> Iterator[str]:
    """Yield at which prices of what is committed to another number is, in the first term; with spot nobody can say.

    Where following the rate would save, it is of that: who holds a peak that does not grow commits to all or to none.
    """
    if story.asked.terms.spot:
        return
    of = "" if story.bound is None else ", of those that follow"
    for one in (story.bound or story.best).periods:
        if one.start == 0 and one.committed is not None:
            words = tuple(_turn(one, story.asked.tariffs[one.gpu].on_demand))
            if words:
                yield f"{one.gpu.upper()} {one.committed.name} at another price: {', '.join(words)}{of}"


def _turn(one: Period, on_demand: Tariff) -> Iterator[str]:
    more, fewer = turns(one, on_demand)
    if more is not None and one.committed is not None and more.price > 0.0:
        gpus = more.units * one.unit
        yield f"below {units.cents_per_hour(more.price - one.committed.host)} {gpus} more are committed to"
    if fewer is not None and one.committed is not None:
        gpus = fewer.units * one.unit
        yield f"above {units.cents_per_hour(fewer.price - one.committed.host)} {gpus} fewer"


def _served(story: Story) -> str:
    use, years = story.asked.use, _years(story)
    first = f"{units.dollars(1000 * story.per_request)} per 1K requests"
    if use.output:
        first += f", {units.dollars(1e6 * story.per_request / use.output)} per 1M output tokens"
    shared = "" if use.share == 1.0 else f", the {units.percent(use.share)} that are served"
    beside = f", with {story.beside}" if story.extras else ""
    return f"over {years} of {story.asked.day} that is {first}{shared}{beside}"


def _against_api(story: Story) -> Iterator[str]:
    """Yield from how many tokens on the fleet costs less than an API, if asked for, and paid in which ways."""
    api, use = story.asked.terms.api, story.asked.use
    if api is None:
        return
    called, grows = f"an API at {units.dollars(1e6 * api)} per 1M tokens costs", story.egress_per_token
    even = 24.0 * (story.per_hour - story.egress) / (api - grows) if api > grows else math.inf
    first = f"{called} more from {units.short_count(even)} tokens a day on"
    if even == math.inf:
        first = f"{called} less than egress alone, however many there are"
    if not (use.prompt and use.output):
        yield first
        return
    day = story.served * (use.prompt + use.output) / (365.0 * story.asked.terms.years)
    yield f"{first}; there are {units.short_count(day)} on average, so {_less(story, api, day / 24.0)}"


def _less(story: Story, api: float, tokens: float) -> str:
    """Return in which ways to pay the fleet costs less than an API of so many dollars a token, at `tokens` an hour.

    Those count that hold the peak of each day, which need no replicas that follow the rate at once.
    """
    held = [one for one in story.ways if one.static]
    each = {one.name: (one.per_hour + story.extras) / tokens for one in sorted(held, key=lambda one: one.dollars)}
    less, more = (
        " or ".join(f"{name} ({units.dollars(1e6 * cost)})" for name, cost in each.items() if (cost < api) is wanted)
        for wanted in (True, False)
    )
    if not less:
        return f"the API costs less, whichever way the fleet is paid: {more}"
    return f"this fleet costs less as {less}{', and more as ' * bool(more)}{more}"


def _bought(story: Story) -> Iterator[str]:
    """Yield from when on buying is cheaper than renting, where it is asked for."""
    asked = story.asked
    if not asked.over:
        return
    found = buy_or_rent(asked.need, asked.over, cheapest, asked.terms.spot)
    first = next((years for years, rent, buy in found if buy.dollars < rent.dollars), None)
    yield (
        f"to buy costs no less than to rent within {_years(story)}"
        if first is None
        else f"to buy is cheaper than to rent where {counted(first, 'year')} or more are looked at"
    )


def _interrupted(story: Story, taken: Taken) -> Iterator[str]:
    count, missing = story.lost()
    terms = story.asked.terms
    if taken.none is None or taken.one is None or not count:
        return
    if terms.notice:
        yield _noticed(story)
    gone = f"of {counted(count, 'spot unit')} {units.percent(terms.lost)} are interrupted a month"
    cost = min(missing, 1.0) * max(0.0, taken.none - taken.one)
    whole = ", all of the plan's own spot," if taken.all is None else ""
    which = "it gone" if count == 1 else f"one gone{whole}"
    yield (
        f"{gone}, so {missing:.2g} are missing on average; with {which} {100 * taken.one:.4g}% of the requests are "
        f"within every limit as simulated, {100 * taken.none:.4g}% with none: it costs {100 * cost:.2g} points"
    )
    extra = spares(missing, CERTAIN)
    yield f"as many as are missing 99.9% of the time are replaced by {counted(extra, 'spare unit')} on demand"
    every = "" if taken.all is None else f"if all go at once, {100 * taken.all:.4g}% are within every limit; "
    back = f"{counted(count, 'spare unit')} on demand {'buys' if count == 1 else 'buy'} that back"
    yield f"{every}{back}, for {units.cents_per_hour(story.instead())}"


def _noticed(story: Story) -> str:
    """Return what the warning before an interruption is good for."""
    terms, longest = story.asked.terms, story.asked.longest
    notice = units.seconds(terms.notice)
    first = f"a warning of {notice} lets another be asked for, which is missing {units.seconds(terms.missing)} then"
    if longest is None:
        return first
    enough = "so what runs ends in time" if longest <= terms.notice else "so what runs longer is cut and begun again"
    return f"{first}; a request takes up to {units.seconds(longest)} (at the limits' percentile), {enough}"


def _warnings(story: Story) -> Iterator[str]:
    asked, made = story.asked, story.asked.plan.plan.created
    if asked.day_caution:
        yield asked.day_caution
    for one in story.everything:
        since = age(one.date, made)
        if since is not None and since > OLD:
            days = (age(one.date, made) or timedelta()).days
            yield f"{one.gpu.upper()} {one.name}: its price is {days} days old; --pay {one.name}=... gives yours"
    bought = asked.terms.purchase
    if bought is not None and asked.power_price is None:
        yield "power of bought GPUs is taken at 0.10/kWh, as no --power-price says another"
    if bought is not None and bought.life > asked.terms.years:
        yield (
            f"bought GPUs are written off over {_years(story)} of the {bought.life} that they serve "
            f"(--years {bought.life})"
        )
    if any(one.gpus > 1 for one in story.everything):
        yield "GPUs that come together are paid for together: their number is rounded up"
    if asked.terms.egress and not asked.use.output:
        yield "how many tokens an answer has is not known, so egress is left out"
    if asked.sure is not None:
        yield f"each size is {units.percent(asked.sure)} sure; fleettui autoscale is at nominal speed"
    elif told := confidence_text.sized(asked.plan.confidence):
        yield told


def _dated(one: Tariff) -> str:
    host = f" and {units.cents_per_hour(one.host)} of a host" if one.host else ""
    return f"{one.seller}{f' {one.date}' if one.date else ''}{host}"
