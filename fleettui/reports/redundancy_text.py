"""How a fleet stands failures: the spare replicas' key, the table of more and fewer of them, and pools without any."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise

from fleettui.domain.failures import FailingUnit
from fleettui.domain.fleet import Fleet, Pool, counted
from fleettui.domain.limit import TTFT
from fleettui.domain.plan import Answer
from fleettui.domain.redundancy import PoolRedundancy, Redundancy, Serving, Spread, StandBy
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports import fleet_text, units
from fleettui.reports.columns import Column, figure, table, words
from fleettui.reports.table import Table

UNIT_WORDS: dict[FailingUnit, str] = {"node": "node", "gpu": "GPU"}
OVER = "over"
NONE_SERVE = "none serve"
"""What stands in place of a TTFT where nothing is left of a pool: every request is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    pool: PoolRedundancy
    choice: StandBy
    spread: Spread | None = None


def key(pools: Iterable[Pool]) -> str:
    """Return what the sizes of pools with spares mean, by the first of them; empty where none has any."""
    first = next((pool for pool in pools if pool.spares), None)
    return "" if first is None else key_of(first.replicas, first.spares)


def key_of(replicas: int, spares: int) -> str:
    """Return what a size with spares means.

    >>> key_of(7, 2), key_of(1, 1)
    ('7+2: 7 serve at the peak, 2 stand by for failures', '1+1: 1 serves at the peak, 1 stands by for failures')
    """
    serve, stand = "s" * (replicas == 1), "s" * (spares == 1)
    return f"{replicas}+{spares}: {replicas} serve{serve} at the peak, {spares} stand{stand} by for failures"


def share(value: float) -> str:
    """Return a share of time with as many digits as tell it from always.

    >>> share(0.987), share(0.999), share(0.999816), share(0.8889), share(1.0)
    ('98.7%', '99.9%', '99.982%', '88.9%', '100%')
    """
    if value >= 1.0:
        return "100%"
    digits = max(1, 1 + math.ceil(-math.log10(100.0 * (1.0 - value)) - 1e-9))
    return f"{100.0 * value:.{digits}f}".rstrip("0").rstrip(".") + "%"


def reached(known: Redundancy) -> str:
    """Return the availability that spares were bought by, and for what share of time all needed replicas are up.

    The target is that of each pool; of several it is told by which all of them would reach it together.
    """
    of, rack, each = UNIT_WORDS[known.of], known.rack, " of each pool" * (len(known.pools) > 1)
    racks = "" if rack is None else f", of a rack of {rack.nodes} nodes {share(rack.up)}"
    found = f"{share(known.all_needed_up)} of the time all that are needed are up{_for_all(known)}"
    return f"availability of a {of} {share(known.up)}{racks}, target {share(known.target)}{each}: {found}"


def _for_all(known: Redundancy) -> str:
    """Return the target of each pool with which all together reach what was asked, empty where they do."""
    if len(known.pools) == 1 or known.all_needed_up >= known.target:
        return ""
    down = 1.0 - known.target ** (1.0 / len(known.pools))
    place = 10.0 ** (math.floor(math.log10(down)) - 1)
    of_each = 1.0 - math.floor(down / place) * place
    return f" ({share(known.target)} with --availability-target {100.0 * of_each:.10g}%)"


def told(known: Redundancy) -> str:
    """Return the same with the nodes that pools do not fill, and what failures are taken to be."""
    caveat = "" if known.rack else f"; {independent(known.of)}"
    return f"{reached(known)}{_placed(known)}{caveat}"


def _placed(known: Redundancy) -> str:
    """Return on how many nodes pools stand that do not fill theirs, empty where all do."""
    several = len(known.pools) > 1
    placed = (
        f", {f'{pool.name} ' * several}on {_nodes(held, pool.per_node)}, {_each(held, pool.per_node)}"
        for pool in known.pools
        if pool.per_node and (held := pool.replicas + pool.spares)
    )
    return "".join(placed)


def independent(of: FailingUnit) -> str:
    """Return that what fails is taken to do so by itself, and what else there is.

    >>> independent("node"), independent("gpu")
    ('nodes are taken to fail alone: plan with --rack for shared causes', 'GPUs are taken to fail alone, no node whole')
    """
    more = ": plan with --rack for shared causes" if of == "node" else ", no node whole"
    return f"{UNIT_WORDS[of]}s are taken to fail alone{more}"


def redundancy_table(known: Redundancy, slo: Slo, *, simulated: bool) -> Table:
    """Return a row for each number of spares of each pool: GPUs, money, time with enough up, and TTFT.

    Where the fleet was `simulated`, it was without spares and with all up, by which the formulas are corrected.
    """
    late, of = fleet_text.ranked(TTFT.latency, slo), UNIT_WORDS[known.of]
    columns: tuple[Column[_Row], ...] = (
        *((words("pool", lambda row: row.pool.name),) if len(known.pools) > 1 else ()),
        words("replicas", _size),
        figure("GPUs", lambda row: row.choice.gpus, units.count),
        figure("$/h", lambda row: row.choice.cost, units.hourly),
        figure("enough up", lambda row: row.choice.up, share),
        words(f"{late}, all up", lambda row: _serving(row.choice.all_up)),
        words(f"one {of} down", lambda row: _serving(row.choice.one_down)),
        *((words("one rack down", lambda row: _serving(row.choice.rack_down)),) if known.rack else ()),
    )
    rows = [row for pool in known.pools for row in _rows(pool)]
    how = "by formula, corrected by the plan's simulation" if simulated else "by formula"
    shared = f"; each node is filled before the next{_spread(known)}" if _share_nodes(known) else _spread(known)
    note = f"> the plan's; spare replicas serve too; at the peak, ~ {how}; {OVER}: breaks a limit{shared}"
    return table(columns, rows, note=note)


def _rows(pool: PoolRedundancy) -> list[_Row]:
    """Return a pool's numbers of spares, and last where its replicas would be spread."""
    rows = [_Row(pool=pool, choice=choice) for choice in pool.choices]
    return rows if pool.spread is None else [*rows, _Row(pool=pool, choice=pool.spread.standing, spread=pool.spread)]


def _spread(known: Redundancy) -> str:
    """Return how replicas are placed whose nodes are counted: the plan's, then the other placement's."""
    several, found = len(known.pools) > 1, list[str]()
    for pool in known.pools:
        own = [(pool.spares, pool.per_node)] if pool.per_node else []
        other = [] if pool.spread is None else [(pool.spread.standing.spares, pool.spread.per_node)]
        for spares, per_node in (*own, *other):
            held = pool.replicas + spares
            found.append(f"{f'{pool.name} ' * several}on {_nodes(held, per_node)}: {_each(held, per_node)}")
    return "".join(f"; {one}" for one in found)


def _nodes(held: int, per_node: int) -> str:
    """Return on how many nodes the replicas stand that are `held`."""
    return counted(math.ceil(held / per_node), "node")


def _each(held: int, per_node: int) -> str:
    """Return how many of the replicas that are `held` stand on a node."""
    return f"at most {per_node} each" if held % per_node else f"{per_node} each"


def _share_nodes(known: Redundancy) -> bool:
    """Return whether a node has several replicas of a pool, so that spares come by as many."""
    pairs = (pair for pool in known.pools if not pool.per_node for pair in pairwise(pool.choices))
    return known.of == "node" and any(more.spares - fewer.spares > 1 for fewer, more in pairs)


def alone(fleet: Fleet, question: Question) -> tuple[str, ...]:
    """Return what one failure does to each pool of a single replica, and to each that fits in one node.

    In the papers' fleets a GPU is a node.
    """
    nodes = {} if question.preset == "paper" else fleet_text.node_sizes(fleet.gpus_by_type, question)
    return tuple(filter(None, (_stopped(pool, nodes.get(pool.gpu, 0)) for pool in fleet.pools)))


def cautions(answer: Answer, question: Question) -> tuple[str, ...]:
    """Return the risks of an answer: pools that one failure stops, of a replica or a node, then its warnings.

    A pool that its plan puts on several nodes is not stopped by one.
    """
    best = answer.answer
    spread = set() if answer.redundancy is None else {pool.name for pool in answer.redundancy.pools if pool.is_spread}
    own = () if best is None else tuple(pool for pool in best.fleet.pools if pool.name not in spread)
    stopped = alone(replace(best.fleet, pools=own), question) if best is not None and own else ()
    return tuple(dict.fromkeys((*stopped, *answer.warnings)))


def _stopped(pool: Pool, node: int) -> str:
    """Return what one failure stops a pool, empty for none; a `node` has so many GPUs, 0 where that is unknown."""
    if pool.replicas + pool.spares == 1:
        return f"pool {pool.name} has one replica: one failure stops it"
    if pool.gpus > node:
        return ""
    return f"pool {pool.name} fits in one node of {node} GPUs: placed there, it stops when that node fails"


def _size(row: _Row) -> str:
    sign, spares = "> " if row.choice is row.pool.chosen else "  ", row.choice.spares
    per_node = row.pool.per_node if row.spread is None else row.spread.per_node
    held = row.pool.replicas + spares
    placed = f" on {_nodes(held, per_node)}" if per_node else ""
    return f"{sign}{row.pool.replicas}+{spares}{placed}"


def _serving(known: Serving | None) -> str:
    if known is not None and not known.serves:
        return NONE_SERVE
    if known is None or known.ttft is None:
        return OVER
    sign = "" if known.simulated else "~"
    return f"{sign}{units.seconds(known.ttft)}" + ("" if known.holds else f" {OVER}")
