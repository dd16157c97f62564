"""A question as it is worked on: with its workload's record, where its arrivals rest on that."""

from __future__ import annotations

from dataclasses import replace

from fleettui.domain.scenario import Question
from fleettui.domain.workload import Workload
from fleettui.errors import InputError
from fleettui.hardware import catalog
from fleettui.routing import named, pools_meet
from fleettui.workloads.arrivals import asked
from fleettui.workloads.recorded import record_of

LEAST_TIMES = 100


def with_record(question: Question, workload: Workload) -> Question:
    """Return `question` with the workload's record where its arrivals rest on that, its prefixes where they count, and
    its sessions where requests come in these.

    The share of hits is what one cache without limit would find, which formulas begin with: what memory and router
    leave of it they find for each fleet. Raises InputError where the workload has no times, or too few, or no hashes.
    """
    router = named(question.router, "--router")
    if question.sessions:
        if workload.sessions is None:
            raise _no_sessions(workload)
        hits = workload.sessions.reusable() if question.prefix_cache else 0.0
        question = replace(question, rounds=workload.sessions, prefix_hit=hits)
    elif question.prefix_cache:
        question = _with_prefixes(question, workload)
    if router.remembers and not question.prefix_cache:
        raise InputError(
            "this router sends prompts to where their beginnings are, and replicas keep none",
            where="--router",
            value=question.router,
            remedy="add --prefix-cache, or name another router",
        )
    if router.of_sessions and not question.sessions:
        raise InputError(
            "this router sends rounds of a session to where the one before was, and requests come in none",
            where="--router",
            value=question.router,
            remedy="add --sessions, or name another router",
        )
    if question.length_error and pools_meet(question.router, max(question.pools)):
        raise InputError(
            "this router sends between pools by their loads, not by lengths that it guesses",
            where="--router",
            value=question.router,
            remedy="leave out --length-error, or name a router that sends by length",
        )
    needs, record = asked(question.arrivals, "--arrivals").process.needs, record_of(workload)
    if not needs:
        return question
    if record is None:
        raise _lacks(question, workload, "it is not known how its requests come", "")
    if needs == "times" and len(record.times) < LEAST_TIMES:
        few = f"there are {len(record.times)} requests" if record.times else "there are lengths alone"
        raise _lacks(question, workload, few, "--arrivals bursty, ")
    return replace(question, record=record)


def _with_prefixes(question: Question, workload: Workload) -> Question:
    """Return `question` with what the prompts of the workload share; raises InputError where that is not known."""
    from fleettui.simulation.prefix_draws import check_apart
    from fleettui.workloads.shared_prefixes import reusable

    if workload.prefixes is None or not workload.prefixes.rows:
        raise _shares_nothing(workload)
    check_apart(question.router, max(question.pools))
    found = workload.prefixes.in_blocks(catalog.engine(question.engine).rules.cache.block_size)
    return replace(question, prefixes=found, prefix_hit=reusable(found))


def _lacks(question: Question, workload: Workload, what: str, instead: str) -> InputError:
    return InputError(
        f"{question.arrivals} needs the times of requests, and of {workload.name} {what}",
        where="--arrivals",
        accepted=f"a trace of {LEAST_TIMES} requests or more, over two minutes or more",
        remedy=f"name the trace's own file, or write {instead}--arrivals gamma:cv=2 or poisson",
    )


def _shares_nothing(workload: Workload) -> InputError:
    return InputError(
        f"of {workload.name} it is not known what its prompts share",
        where="--prefix-cache",
        accepted="a trace that lists block hashes: hash_ids, or prefix_hashes",
        remedy="name the trace's own file, or say the share of hits: --prefix-hit 40%",
    )


def _no_sessions(workload: Workload) -> InputError:
    from fleettui.workloads.sessions import SESSION_KEYS, THINK_KEY

    return InputError(
        f"of {workload.name} it is not known which requests belong to a session",
        where="--sessions",
        accepted=f"a trace with {' or '.join(SESSION_KEYS)} in every row, and {THINK_KEY} or times; or block hashes",
        remedy="name the trace's own file, a shipped workload of sessions, or leave out --sessions",
    )
