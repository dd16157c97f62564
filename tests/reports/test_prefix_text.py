"""What the prefix caches of a fleet and the memory beside its GPUs came to, in words."""

from dataclasses import replace

from fleettui.domain.link import Link
from fleettui.domain.plan import Estimate, Evidence, PoolEvidence
from fleettui.reports.prefix_text import hits, links, told
from tests.store import samples


def pool(name: str, hit: float | None, link: Link | None = None) -> PoolEvidence:
    unknown = Estimate(value=None)
    return PoolEvidence(name=name, ttft=unknown, tpot=unknown, utilization=0.9, batch=9.0, hit=hit, link=link)


def test_the_share_is_told_of_each_pool_that_keeps_prefixes() -> None:
    assert hits([pool("short", 0.312), pool("long", 0.0)]) == (
        "prompt tokens found in the prefix cache: short 31.2 %, long 0 %"
    )
    assert hits([pool("short", None)]) == ""


def test_what_came_over_the_link_and_what_did_not_is_told() -> None:
    fetched = pool("short", 0.62, Link(read=3.1e8, written=4e9, fetched=0.17))
    computed = pool("long", 0.45, Link(read=0.0, written=0.0, recomputed=0.17))
    assert hits([fetched, computed]) == (
        "prompt tokens found in the prefix cache: short 62 % (17 % fetched from beside the GPUs), "
        "long 45 % (17 % more beside the GPUs, sooner computed)"
    )
    assert (
        links([fetched, computed]) == "over each GPU's link: short 0.31 GB/s in, 4 GB/s out, long 0 GB/s in, 0 GB/s out"
    )
    assert links([pool("short", 0.62)]) == ""
    assert told([fetched]) == f"{hits([fetched])}; {links([fetched])}"


def test_a_page_says_it_of_what_was_simulated_alone() -> None:
    kept, unknown = pool("all", 0.62, Link(read=3.1e8, written=4e9, fetched=0.17)), Estimate(value=None)
    seen = Evidence(method="simulation", verdict="pass", ttft=unknown, attainment=unknown, pools=(kept,))
    simulated = replace(samples.candidate(), evidence=seen)
    assert told(simulated.simulated_pools) == told([kept])
    assert told(replace(simulated, evidence=replace(seen, method="formula")).simulated_pools) == ""
