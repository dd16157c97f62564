from __future__ import annotations

import dataclasses

import pytest

from fleettui.domain.workload import ArrivalStatistics, LengthDistribution, TimeSlice, Workload
from fleettui.errors import InputError
from fleettui.workloads import library
from fleettui.workloads.context_limit import drop_atoms, drop_longer, longer_than
from fleettui.workloads.synthetic import lognormal_marginals

TOTAL = LengthDistribution(kind="total", cdf=((100.0, 0.5), (200.0, 1.0)), output_share=0.2)
JOINT = LengthDistribution(
    kind="joint",
    atoms=((6.0, 40.0, 10.0), (3.0, 80.0, 20.0), (1.0, 900.0, 1.0)),
    cdf=((64.0, 0.6), (901.0, 1.0)),
    n_samples=10,
)


def workload(*lengths: LengthDistribution) -> Workload:
    slices = tuple(TimeSlice(start=0.0, duration=10.0, rate=2.0, lengths=one) for one in lengths)
    return Workload(name="w", slices=slices, arrivals=ArrivalStatistics(timing="recorded", mean_rate=2.0))


def test_joint_lengths_are_counted_by_atom():
    assert longer_than(workload(JOINT), 50) == (0.4, 4)
    assert longer_than(workload(JOINT), 100) == (0.1, 1)
    assert longer_than(workload(JOINT), 901) == (0.0, 0)


def test_slices_are_weighed_by_their_requests():
    more = dataclasses.replace(JOINT, atoms=((90.0, 40.0, 10.0),), n_samples=90)
    assert longer_than(workload(JOINT, more), 100) == (0.01, 1)


def test_total_lengths_lie_evenly_between_points():
    assert longer_than(workload(TOTAL), 150).share == pytest.approx(0.25)
    assert longer_than(workload(TOTAL), 150).requests is None
    assert longer_than(workload(TOTAL), 200).share == 0.0


def test_marginals_are_taken_in_the_order_in_which_the_longest_meet():
    lengths = lognormal_marginals(((0.5, 900), (0.99, 8000)), ((0.5, 200), (0.99, 1500)))
    assert longer_than(workload(lengths), 9500).share == pytest.approx(0.01, abs=0.0002)
    assert longer_than(workload(lengths), 10**6).share == 0.0


def test_a_request_hidden_in_an_atom_is_reported_and_can_be_dropped():
    shipped = library.load("azure-2023-code")
    longest = shipped.slices[0].lengths.total
    assert longest is not None
    assert longer_than(shipped, int(longest.maximum) - 1).requests == 1
    left = drop_longer(shipped, int(longest.maximum) - 1)
    assert left.dropped == 1
    assert longer_than(left, int(longest.maximum) - 1) == (0.0, 0)


def test_dropping_leaves_the_shorter_and_lowers_the_rates():
    left = drop_longer(workload(JOINT), 100)
    (part,) = left.slices
    assert part.lengths.atoms == JOINT.atoms[:2]
    assert part.lengths.n_samples == 9
    assert part.lengths.cdf == ((64.0, pytest.approx(0.6 / 0.9)), (100.0, 1.0))
    assert (left.dropped, part.rate, left.arrivals.mean_rate) == (1, pytest.approx(1.8), pytest.approx(1.8))
    assert left.notes == ("10.000% of the requests, longer than 100 tokens, were left out",)


def test_dropping_nothing_changes_nothing():
    given = workload(JOINT)
    assert drop_longer(given, 1000) is given


def test_a_slice_with_nothing_left_goes():
    long = dataclasses.replace(JOINT, atoms=((10.0, 900.0, 1.0),))
    left = drop_longer(workload(JOINT, long), 100)
    assert (len(left.slices), left.dropped) == (1, 11)


def test_total_lengths_are_cut_and_scaled():
    (part,) = drop_longer(workload(TOTAL), 150).slices
    assert part.lengths.cdf == ((100.0, pytest.approx(2 / 3)), (150.0, 1.0))
    assert part.rate == pytest.approx(1.5)


def test_dropping_everything_is_refused():
    with pytest.raises(InputError, match=r"w: every request is longer than the limit \(got 20\)"):
        drop_longer(workload(JOINT), 20)


def test_marginals_cannot_be_dropped_by_total():
    lengths = lognormal_marginals(((0.5, 900), (0.99, 8000)), ((0.5, 200), (0.99, 1500)))
    with pytest.raises(InputError, match="known only apart"):
        drop_longer(workload(lengths), 1000)


def test_atoms_alone():
    assert drop_atoms(JOINT.atoms, 100) == (JOINT.atoms[:2], pytest.approx(0.1))
    assert drop_atoms(JOINT.atoms, 901) == (JOINT.atoms, 0.0)
