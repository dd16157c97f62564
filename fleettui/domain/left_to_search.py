"""Which settings a question leaves to the search that makes a plan with each, and simulates those near the best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleettui.domain import drafts_tried, kv_offload
from fleettui.domain.engine_settings import SEARCHED
from fleettui.errors import InputError

if TYPE_CHECKING:
    from fleettui.domain.scenario import Question


def left_to_search(asked: Question) -> dict[str, str]:
    """Return those settings by their options, as they are typed."""
    every = {
        "--router": (asked.router, asked.router == SEARCHED),
        "--admission": (asked.admission, asked.admission == SEARCHED),
        "--graph-bins": (asked.graph_bins, asked.graph_bins == SEARCHED),
        "--speculative": (asked.speculative, drafts_tried.is_searched(asked.speculative)),
        "--kv-offload": (asked.kv_offload, kv_offload.is_searched(asked.kv_offload)),
        **{one.option: (said, said == SEARCHED) for one, said in asked.features.said()},
        "--architecture": (asked.architecture, asked.architecture == SEARCHED),
    }
    return {option: said for option, (said, is_left) in every.items() if is_left}


def searches_budgets(asked: Question) -> bool:
    """Return whether plans with several token budgets are made: simulated ones, by formula one search has them all."""
    return asked.token_budget == SEARCHED and asked.verify and asked.preset != "paper"


def check_chosen(asked: Question) -> None:
    """Raise InputError where a question that is worked on leaves something to that search."""
    for option, said in left_to_search(asked).items():
        raise InputError(
            "only a plan by itself searches for it, which then says what it chose",
            where=option,
            value=said,
            remedy=f"name one, or plan with it: fleettui plan ... {option} {said}",
        )


def check_searches(asked: Question) -> None:
    """Raise InputError where something is to be searched for by the papers' preset, or beside another search."""
    for option, said in left_to_search(asked).items():
        if asked.preset == "paper":
            raise InputError(
                "the papers' pools are one queue each, however their engines are set",
                where=option,
                value=said,
                remedy=f"leave out {option}, or --preset",
            )
        if asked.power_cap == SEARCHED:
            raise InputError(
                f"{option} and a cap are both to be searched for, each after a plan without",
                where=option,
                value=said,
                remedy=f"search by {option} first, then for the cap with what it finds",
            )
        if option == "--architecture" and len(left_to_search(asked)) > 1:
            raise InputError(
                "architectures are laid beside each other once all settings are known",
                where=option,
                value=said,
                remedy=f"search for the other settings first, then by {option} with what that finds",
            )
