"""Which shapes of fleets a search by simulation chooses from."""

from dataclasses import replace

from fleettui.planning.walked_shapes import distinct, worth_a_walk
from tests.planning.trials import shape


def test_shapes_of_the_same_hardware_and_sizes_are_one() -> None:
    split = shape(4, 6)
    other = replace(split, fleet=replace(split.fleet, pools=tuple(replace(p, context=9000) for p in split.fleet.pools)))
    assert distinct([split, other, shape(6, 4), shape(4, 6, gpu="a100"), split]) == [
        split,
        shape(6, 4),
        shape(4, 6, gpu="a100"),
    ]


def test_shapes_of_one_pool_are_walked_however_many_others_are_better() -> None:
    shapes = [shape(4, 6), shape(5, 5), shape(6, 4), shape(12), shape(7, 8), shape(15, gpu="a100")]
    assert worth_a_walk(shapes, 2) == [shapes[0], shapes[1], shapes[3], shapes[5]]
