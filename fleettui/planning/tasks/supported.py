"""What a question asks that this version cannot compute."""

from __future__ import annotations

from fleettui.domain.left_to_search import check_chosen
from fleettui.domain.scenario import Question
from fleettui.errors import InputError
from fleettui.planning.scheduler_checks import check_scheduler
from fleettui.routing import ROUTERS, named
from fleettui.workloads.arrivals import ARRIVALS
from fleettui.workloads.arrivals import asked as asked_arrivals


def check_supported(question: Question) -> None:
    """Raise InputError where the question asks for what this version cannot compute."""
    check_chosen(question)
    router = named(question.router, "--router")
    if question.router_refresh and not router.knows:
        raise InputError(
            f"router {router.name} looks at no loads",
            where="--router-refresh",
            value=f"{question.router_refresh:g} s",
            remedy="leave out --router-refresh, or name another --router",
        )
    if router.meets and question.pools == (1,):
        raise InputError(
            f"router {router.name} sends between pools, and one is asked for",
            where="--router",
            value=router.name,
            remedy=f"--pools 1,2 or --pools 2; in one pool --router {ROUTERS.default.name} does the same",
        )
    if router.of_classes and not question.batch_share:
        raise InputError(
            f"router {router.name} sends by class, and all requests are of one",
            where="--router",
            value=router.name,
            remedy=f"add --batch-share 30% --limit batch.ttft=60s, or plan with --router {ROUTERS.default.name}",
        )
    if router.meets and question.bounds.retries:
        raise InputError(
            f"router {router.name} does not know of requests that come again where they were meant for",
            where="--retries",
            value=question.bounds.retries,
            remedy=f"leave out --retries, or plan with --router {ROUTERS.default.name}",
        )
    check_scheduler(question, question.admission)
    arrivals = asked_arrivals(question.arrivals, "--arrivals")
    clients = question.demand.concurrency if question.demand.form == "concurrency" else None
    if clients is not None and arrivals.process is not ARRIVALS.default:
        raise InputError(
            "a closed loop's clients send when they are answered, by no other process",
            where="--arrivals",
            value=question.arrivals,
            remedy="leave out --arrivals, or ask by --rate",
        )
    if clients is not None and question.verify and question.preset != "paper":
        from fleettui.simulation.lengths import check_clients

        check_clients(clients)


def check_compression(question: Question) -> None:
    """Raise InputError for a router that rewrites prompts in a search that is not asked how far above a split."""
    router = named(question.router, "--router")
    if router.compresses and question.gamma[1] <= 1.0:
        raise InputError(
            f"router {router.name} rewrites prompts, and how far above a split is not asked",
            where="--router",
            value=router.name,
            remedy=f"add --gamma 1.0:2.0, or plan with --router {ROUTERS.default.name}",
        )
