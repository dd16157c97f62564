"""A fleet in words: a GPU's name where it changes, formats where they differ, sizes of one's own."""

from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.fleet_words import fleet_words, gpus_in, pool_words
from tests.reports.conftest import pool


def test_a_fleet_is_written_one_way() -> None:
    pools = (pool("short", "h100", 4, 4, 0, 4096), pool("long", "h100", 8, 2, 4096, 16_384))
    assert fleet_words(Fleet(pools=pools)) == "H100 tp4 x4 + tp8 x2"
    assert fleet_words(Fleet(pools=pools), (6, 3)) == "H100 tp4 x6 + tp8 x3"
    mixed = (replace(pools[0], dtype="bf16"), replace(pools[1], gpu="a100", spares=1))
    assert fleet_words(Fleet(pools=mixed, gamma=1.5)) == "H100 bf16 tp4 x4 + A100 fp8 tp8 x2+1 g1.5"
    assert pool_words(mixed[1]) == "24 A100 tp8 x2+1"


def test_a_fleet_told_beside_one_of_several_formats_names_its_own() -> None:
    """Found: 'MI300X tp4 x1 would do' on a page headed bf16 was in fp8, as a pool of the given fleet; bf16 fails."""
    pools = (pool("short", "h100", 4, 4, 0, 4096), pool("long", "h100", 8, 2, 4096, 16_384))
    mixed = (replace(pools[0], dtype="bf16"), pools[1])
    assert fleet_words(Fleet(pools=pools[1:]), beside=Fleet(pools=mixed)) == "H100 fp8 tp8 x2"
    assert fleet_words(Fleet(pools=pools[1:]), beside=Fleet(pools=pools)) == "H100 tp8 x2"


def test_the_gpus_of_a_fleet_are_read_from_its_words() -> None:
    short, long = pool("short", "h100", 4, 4, 0, 4096), pool("long", "h100", 8, 2, 4096, 16_384)
    other = replace(long, gpu="a100", dtype="bf16", spares=1)
    lanes, layout = replace(long, attention_dp=True), replace(long, layout="tp2dp4/tp2ep4", expert_parallel=True)
    first, staged = replace(short, gpu="a100"), replace(long, pp=2)
    for pools in ((short,), (short, long), (short, other), (first, long), (short, lanes), (layout,), (short, staged)):
        fleet = Fleet(pools=pools, gamma=1.5 if len(pools) > 1 else 1.0)
        assert gpus_in(fleet_words(fleet)) == fleet.gpus_by_type
    assert gpus_in("no fleet of 8 H100") == {}
