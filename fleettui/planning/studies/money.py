"""How to pay for the GPUs of a kept plan: what to commit to, to rent, to take as spot or to buy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleettui.planning.studies.argument import PLAN, Argument, Given
from fleettui.planning.studies.study_type import Command, Prompt, StudyType
from fleettui.reports.picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fleettui.domain.money import Tariffs
    from fleettui.domain.plan import Candidate
    from fleettui.domain.study import Study
    from fleettui.domain.workload import Workload
    from fleettui.planning.studies.study_context import StudyContext
    from fleettui.planning.tariffs import PriceBook
    from fleettui.reports.money_text import Terms

REPLAYS = 20
"""Studies of autoscaling that are looked through, newest first."""
OPTIONS = (
    Argument(name="day", example="FILE", help="a shape, a file of start,end,rate (default the plan's)"),
    Argument(name="years", example="3", help="how far to look (default 1)"),
    Argument(name="growth", example="5%/month", help="by which the load grows (default none)"),
    Argument(name="pay", form="several", example="aws/spot", help="a class to pay by; =2.10 types its price"),
    Argument(name="prices", example="FILE", help="a price list of your own"),
    Argument(name="buy", example="38k", help="what a GPU costs to buy, with its share of server"),
    Argument(name="life", example="4", help="years that a bought one serves (default 4)"),
    Argument(name="hosting", example="150/kW-month", help="of bought ones (default none)"),
    Argument(name="power-price", example="0.12/kWh", help="of bought ones (default the plan's)"),
    Argument(name="spot", example="25%", help="of the most GPUs at most as spot (default none)"),
    Argument(name="block", example="3", help="months of a capacity block, 1 to 6 (default 1)"),
    Argument(name="interrupted", example="15%/month", help="of spot GPUs (default 20%/month)"),
    Argument(name="again", example="10min", help="until a taken one serves elsewhere (default 10min)"),
    Argument(name="notice", example="2min", help="of warning before one is taken (default the seller's)"),
    Argument(name="host", example="0.25/GPU-h", help="of a rented GPU's server, beside its price"),
    Argument(name="egress", example="0.09/GB", help="for answers that leave"),
    Argument(name="token-bytes", example="4B", help="of an output token that leaves (default streamed)"),
    Argument(name="storage", example="500/month", help="for all that is stored"),
    Argument(name="api", example="0.60/1M", help="what an API asks for tokens, to break even with"),
)


def read(given: Given) -> dict[str, Any]:
    """Return the plan, the day's name, empty where none is given, and what is asked of money."""
    from fleettui.reports.money_text import read_terms

    terms = read_terms({name: text for name, text in given.items() if name not in ("plan", "day")})
    return {"plan": given["plan"], "day": given.get("day", ""), "terms": terms}


async def work(desk: StudyContext, plan: str, *, day: str, terms: Terms) -> Study:
    """Return what the GPUs of `plan` cost over years of `day`, where that is empty its own, by how they are paid for.

    Raises InputError for a plan without a fleet, a closed loop, one that is not finished, and for prices that are not
    known.
    """
    from dataclasses import replace

    from fleettui.domain.need import Need
    from fleettui.domain.unit_served import served_share
    from fleettui.planning.day_taken import day_taken
    from fleettui.planning.growing import levels_of
    from fleettui.planning.spot_taken import spot_taken
    from fleettui.planning.studies.whatif import shape_of
    from fleettui.planning.tariffs import PriceBook
    from fleettui.reports.studies.money import money_study
    from fleettui.reports.studies.money_case import Asked, Story, Use

    kept = desk.kept(plan)
    best = kept.finished_fleet("to pay for", paper="has no replicas that come and go: there, a pool is one queue")
    kept.check_open_loop("its rate goes up and down with the fleet")
    rate = kept.answer.demand.rate
    taken = day_taken(kept, day)
    need = Need(fleet=best.fleet, day=taken.day, years=terms.years, growth=terms.growth)
    need = replace(need, levels=await levels_of(shape_of(desk, kept.id), need))
    prompt, output = tokens(kept.workload, best, rate)
    users = kept.question.demand.users
    book = PriceBook(kept=kept, best=best, terms=terms)
    asked = Asked(
        plan=kept.answer,
        best=best,
        day=need.day.name,
        day_option=taken.option,
        replays=tuple(desk.store.studies(REPLAYS, kept.id, kind="autoscale")),
        day_caution=taken.caution,
        need=need,
        terms=terms,
        tariffs=book.tariffs(),
        for_life=book.bought_for_life(),
        over=tuple(_over(book)),
        batch=kept.question.batch_share,
        sure=kept.question.confidence,
        power_price=terms.power_price or kept.question.power_price,
        longest=_longest(best),
        use=Use(prompt=prompt, output=output, share=served_share(best), users=None if users is None else round(users)),
    )
    spot = Story(asked=asked).spot
    if not spot:
        return money_study(asked)
    return money_study(replace(asked, taken=await spot_taken(desk, kept, spot, max(terms.missing, 1.0))))


def _over(book: PriceBook) -> Iterator[tuple[int, dict[str, Tariffs]]]:
    """Yield the prices where fewer years are looked at, by years; nothing where nothing is bought."""
    from dataclasses import replace

    terms = book.terms
    for years in range(1, terms.years + 1) if terms.purchase is not None else ():
        yield years, replace(book, terms=replace(terms, years=years)).tariffs()


def _longest(best: Candidate) -> float | None:
    """Return how long a request takes by formula at the limits' percentile, None where that has no end."""
    from math import isfinite

    found = [pool.e2e for pool in best.pools if pool.arrival_rate]
    return max(found) if found and all(map(isfinite, found)) else None


def tokens(workload: Workload, best: Candidate, rate: float) -> tuple[float | None, float | None]:
    """Return the prompt and output tokens of a request on average; None where they are not known."""
    from fleettui.domain.meter import output_rate

    known = [one for one in workload.slices if one.lengths.prompt is not None]
    weights = [(one.rate or 1.0) * one.duration for one in known]
    prompts = [one.lengths.prompt.mean for one in known if one.lengths.prompt is not None]
    total = sum(weights)
    prompt = sum(w * p for w, p in zip(weights, prompts, strict=True)) / total if total else None
    outputs = output_rate(best)
    return prompt, None if outputs is None else outputs / rate


def line_help() -> str:
    """Return what a line may say."""
    return "years 3 growth 5%/month pay coreweave/reserved-1y\nalso: " + " ".join(one.name for one in OPTIONS)


STUDY = StudyType(
    kind="money",
    work=work,
    read=read,
    picture=Picture(table=0, column="cost_per_hour"),
    command=Command(
        help="what to reserve, rent, take as spot or buy, over years",
        about="Say how to pay for a kept plan's GPUs over a day's shape and its growth: what to commit to, by class.",
        examples="""\
\b
Prices on demand are the plan's own; those of other classes are the cheapest
seller's of the price list, unless --pay names one or types a price.
\b
Examples:
  fleettui money last
  fleettui money last --years 3 --growth 5%/month --pay coreweave/reserved-1y
  fleettui money 41a7 --spot 25% --interrupted 15%/month
  fleettui money 41a7 --years 4 --buy 38k --hosting 150/kW-month
""",
        after="autoscale",
        arguments=(PLAN, *OPTIONS),
        prompt=Prompt(help=line_help, value="years 1"),
    ),
)
