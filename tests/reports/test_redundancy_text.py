import dataclasses

from fleettui.domain.failures import Rack
from fleettui.domain.plan import Answer, Candidate
from fleettui.domain.redundancy import PoolRedundancy, Redundancy, Serving, Spread, StandBy
from fleettui.domain.scenario import Question
from fleettui.domain.slo import Slo
from fleettui.reports.redundancy_text import alone, cautions, key, reached, redundancy_table, told

LATE, OVER = Serving(ttft=0.53, holds=False), Serving(ttft=None, holds=False)


def standing(spares: int, up: float, ttft: float, down: Serving) -> StandBy:
    held = 7 + spares
    return StandBy(
        spares=spares, gpus=8 * held, cost=20.0 * held, up=up, all_up=Serving(ttft=ttft, holds=True), one_down=down
    )


POOL = PoolRedundancy(
    name="all",
    replicas=7,
    spares=1,
    choices=(standing(0, 0.912, 0.45, OVER), standing(1, 0.9951, 0.4, LATE)),
)
PAPER = Question(workload="x", slo=Slo(ttft=0.5), preset="paper")
KNOWN = Redundancy(of="node", up=0.987, target=0.999, pools=(POOL,))


def test_each_number_of_spares_is_a_row_and_the_plans_own_is_marked() -> None:
    table = redundancy_table(KNOWN, Slo(ttft=0.5), simulated=True)
    assert [column.title for column in table.columns][-2:] == ["P99 TTFT, all up", "one node down"]
    assert table.rows[0] == ("  7+0", "56", "140", "91.2%", "~0.45 s", "over")
    assert table.rows[1] == ("> 7+1", "64", "160", "99.51%", "~0.40 s", "~0.53 s over")
    assert "~ by formula, corrected by the plan's simulation" in table.note
    gone = dataclasses.replace(POOL.choices[0], one_down=dataclasses.replace(OVER, serves=False))
    known = dataclasses.replace(KNOWN, pools=(dataclasses.replace(POOL, choices=(gone, POOL.choices[1])),))
    assert redundancy_table(known, Slo(ttft=0.5), simulated=True).rows[0][-1] == "none serve", "no limit is broken"
    assert "at the peak, ~ by formula; over" in redundancy_table(KNOWN, Slo(ttft=0.5), simulated=False).note


def test_replicas_that_share_a_node_are_told_to_and_what_fewer_on_each_would_take() -> None:
    """Two on two nodes stand one node's failure, two on one do not."""
    shared = dataclasses.replace(
        POOL, spares=2, choices=(standing(0, 0.987, 0.45, OVER), standing(2, 0.99983, 0.4, LATE))
    )
    words = "; each node is filled before the next"
    for known, told_so in ((KNOWN, False), (dataclasses.replace(KNOWN, pools=(shared,)), True)):
        note = redundancy_table(known, Slo(ttft=0.5), simulated=True).note
        assert note is not None
        assert note.endswith(words) is told_so
    of_gpu = dataclasses.replace(KNOWN, of="gpu", pools=(shared,))
    assert words not in (redundancy_table(of_gpu, Slo(ttft=0.5), simulated=True).note or "")
    for per_node, nodes, placed in ((1, 8, "1 each"), (3, 3, "at most 3 each")):
        apart = Spread(per_node=per_node, nodes=nodes, standing=standing(1, 0.9951, 0.41, LATE))
        known = dataclasses.replace(KNOWN, pools=(dataclasses.replace(shared, spread=apart),))
        table = redundancy_table(known, Slo(ttft=0.5), simulated=True)
        assert table.rows[-1] == (f"  7+1 on {nodes} nodes", "64", "160", "99.51%", "~0.41 s", "~0.53 s over")
        assert (table.note or "").endswith(f"{words}; on {nodes} nodes: {placed}")
    both = dataclasses.replace(known, pools=(known.pools[0], dataclasses.replace(known.pools[0], name="long")))
    note = redundancy_table(both, Slo(ttft=0.5), simulated=True).note or ""
    assert note.endswith("; all on 3 nodes: at most 3 each; long on 3 nodes: at most 3 each"), "each pool its own"


def test_a_plan_that_spreads_its_replicas_tells_its_nodes_and_what_filling_them_takes() -> None:
    filled = Spread(per_node=4, nodes=3, standing=standing(5, 0.9999, 0.38, LATE))
    spread = dataclasses.replace(POOL, per_node=1, spread=filled)
    known = dataclasses.replace(KNOWN, pools=(spread,))
    assert "99.51% of the time all that are needed are up, on 8 nodes, 1 each; nodes are taken" in told(known)
    table = redundancy_table(known, Slo(ttft=0.5), simulated=True)
    assert [row[0] for row in table.rows] == ["  7+0 on 7 nodes", "> 7+1 on 8 nodes", "  7+5 on 3 nodes"]
    assert (table.note or "").endswith("breaks a limit; on 8 nodes: 1 each; on 3 nodes: 4 each")
    both = dataclasses.replace(known, pools=(spread, dataclasses.replace(POOL, name="long")))
    assert ", all on 8 nodes, 1 each;" in told(both)


def test_what_was_simulated_has_no_sign_of_a_formula() -> None:
    seen = dataclasses.replace(POOL.choices[1].all_up, simulated=True)
    choices = (POOL.choices[0], dataclasses.replace(POOL.choices[1], all_up=seen))
    known = dataclasses.replace(KNOWN, pools=(dataclasses.replace(POOL, choices=choices),))
    assert redundancy_table(known, Slo(ttft=0.5), simulated=True).rows[1][4:] == ("0.40 s", "~0.53 s over")


def test_pools_are_named_where_there_are_several_and_all_of_them_must_be_up() -> None:
    both = dataclasses.replace(KNOWN, pools=(POOL, dataclasses.replace(POOL, name="long")))
    assert [row[0] for row in redundancy_table(both, Slo(ttft=0.5), simulated=False).rows] == [
        "all",
        "all",
        "long",
        "long",
    ]
    assert "99.02% of the time all that are needed are up (99.9% with --availability-target 99.95%); nodes" in told(
        both
    )
    racked = dataclasses.replace(both, rack=Rack(nodes=4, up=0.999))
    assert told(racked).endswith("are needed are up (99.9% with --availability-target 99.95%)"), (
        "racks are shared causes"
    )
    assert told(KNOWN).startswith("availability of a node 98.7%, target 99.9%: 99.51% of the time")


def test_the_target_is_of_each_pool_and_what_all_of_them_reach_stands_beside() -> None:
    """Found: PASS with "target 99.5%: 99.47% of the time", of two pools each of which has 99.74 %."""
    pool = dataclasses.replace(POOL, choices=(POOL.choices[0], standing(1, 0.9974, 0.4, LATE)))
    both = dataclasses.replace(KNOWN, target=0.995, pools=(pool, dataclasses.replace(pool, name="long")))
    missed = "target 99.5% of each pool: 99.48% of the time all that are needed are up"
    assert reached(both).endswith(f"{missed} (99.5% with --availability-target 99.75%)")
    assert f"{missed} (99.5% with --availability-target 99.75%); nodes are taken" in told(both)
    for count in (2, 3, 4):
        known = dataclasses.replace(both, pools=(pool,) * count)
        each = float(reached(known).partition("--availability-target ")[2].partition("%")[0]) / 100
        assert 0.995 <= each**count < 0.9953, "as many digits as it takes, never too few"
    enough = dataclasses.replace(both, target=0.99)
    assert reached(enough).endswith("target 99% of each pool: 99.48% of the time all that are needed are up")
    assert reached(KNOWN).endswith("target 99.9%: 99.51% of the time all that are needed are up"), "one pool"


def test_one_failure_stops_a_pool_of_one_replica_without_a_spare(best: Candidate) -> None:
    first, second = best.fleet.pools[0], dataclasses.replace(best.fleet.pools[1], replicas=1)
    fleet = dataclasses.replace(best.fleet, pools=(first, second))
    assert alone(fleet, PAPER) == (f"pool {second.name} has one replica: one failure stops it",)
    spared = dataclasses.replace(second, spares=1)
    assert alone(dataclasses.replace(best.fleet, pools=(first, spared)), PAPER) == ()
    assert key((first, spared)) == "1+1: 1 serves at the peak, 1 stands by for failures"
    assert key((first, second)) == ""


def test_a_pool_that_fits_in_one_node_stops_with_it(best: Candidate) -> None:
    one = dataclasses.replace(best.fleet.pools[0], gpu="h100", tp=4, replicas=2)
    both = dataclasses.replace(best.fleet, pools=(one, dataclasses.replace(best.fleet.pools[1], gpu="h100", tp=4)))
    asked = dataclasses.replace(PAPER, preset="recommended")
    told_of = f"pool {one.name} fits in one node of 8 GPUs: placed there, it stops when that node fails"
    assert told_of in alone(both, asked)
    assert told_of not in alone(both, PAPER), "there a GPU is a node"
    more = dataclasses.replace(one, spares=1)
    assert not any(one.name in told for told in alone(dataclasses.replace(both, pools=(more, both.pools[1])), asked))


def test_a_pool_that_its_plan_puts_on_several_nodes_is_not_stopped_by_one(answer: Answer, best: Candidate) -> None:
    """Found: two replicas and a spare on 3 nodes, 1 each, "fit in one node of 8 GPUs" with which they stop."""
    one = dataclasses.replace(best.fleet.pools[0], gpu="h100", tp=2, replicas=2, spares=1)
    fleet = dataclasses.replace(best.fleet, pools=(one,))
    known = dataclasses.replace(POOL, name=one.name, replicas=2, spares=1)
    asked = dataclasses.replace(PAPER, preset="recommended")
    for per_node, stops in ((0, True), (3, True), (1, False), (2, False)):
        placed = dataclasses.replace(KNOWN, pools=(dataclasses.replace(known, per_node=per_node),))
        made = dataclasses.replace(answer, answer=dataclasses.replace(best, fleet=fleet), redundancy=placed)
        assert any("fits in one node" in one for one in cautions(made, asked)) is stops
