"""What an answer says of its own fit: which steps are by it, how exactly, and what it has not seen."""

import math
from dataclasses import replace

import pytest

from fleettui.domain.calibration import Calibration, Envelope
from fleettui.domain.engine_settings import EngineSettings
from fleettui.domain.fleet import Fleet
from fleettui.domain.plan import Candidate
from fleettui.domain.scenario import Question
from fleettui.domain.seen_load import SeenLoad
from fleettui.domain.simulation import PoolTraffic, Traffic
from fleettui.domain.slo import Slo
from fleettui.optimize.fit_words import beyond, front_end, known
from tests.own_fits import FIT, SERVER, values
from tests.store import samples

QUESTION = Question(slo=Slo(ttft=0.5), **values())
TWO = replace(samples.candidate().fleet.pools[0], gpu="h100", model="llama-3.1-70b", dtype="fp8", tp=4)


def fleet(*tps: int) -> Fleet:
    pools = (replace(TWO, name=f"p{tp}", tp=tp, above=1000 * at, up_to=1000 * (at + 1)) for at, tp in enumerate(tps))
    return replace(samples.candidate().fleet, pools=tuple(pools))


def candidate(batch: float, *tps: int) -> Candidate:
    known_one = samples.candidate()
    figures = replace(known_one.pools[0], batch=batch)
    return replace(known_one, fleet=fleet(*tps), pools=tuple(figures for _ in tps))


def traffic(prompt: float, output: float, pools: int = 1) -> Traffic:
    """Return requests of which half have 0.5 and half 1.5 times these lengths."""
    atoms = ((1.0, prompt * 0.5, output * 0.5), (1.0, prompt * 1.5, output * 1.5))
    return Traffic(pools=tuple(PoolTraffic(arrival_rate=1.0, atoms=atoms) for _ in range(pools)))


def public(fit: Calibration) -> Calibration:
    return replace(fit, servers=(replace(SERVER, points=1, band=0.14, band_source="public"),))


def test_the_hardware_of_a_fit_is_said_with_its_runs_and_its_exactness() -> None:
    assert known(fleet(4, 8), QUESTION) == (
        "steps of h100/llama-3.1-70b/fp8/tp4 are by own fit prod, of 10 runs: four in five of 10 held-out predictions "
        "were within 25%",
    )
    assert known(fleet(4), replace(QUESTION, fit=public(FIT))) == (
        "steps of h100/llama-3.1-70b/fp8/tp4 are by own fit prod, of 1 run: four in five predictions within 14%, as "
        "fits to two runs keep on public servers",
    )
    assert known(fleet(4), replace(QUESTION, fit=None)) == known(fleet(8), QUESTION) == ()


def test_a_load_within_the_runs_is_no_warning() -> None:
    assert beyond(candidate(64.4, 4), QUESTION, traffic(1024, 256)) == ()
    assert beyond(candidate(0.2, 4), QUESTION, traffic(512, 512)) == ()  # fewer than one client cannot be measured
    assert beyond(candidate(900, 4), replace(QUESTION, fit=None), traffic(9000, 9000)) == ()


@pytest.mark.parametrize(
    ("batch", "prompt", "output", "said"),
    [
        (64.6, 1024, 256, "65 requests at once, seen 1 to 64"),
        (math.inf, 1024, 256, "ever more requests at once, seen 1 to 64"),
        (64, 1155, 256, "prompts of 1,155 tokens, seen 512 to 1,024"),
        (64, 511, 256, "prompts of 511 tokens, seen 512 to 1,024"),
        (64, 600, 211, "outputs of 211 tokens, seen 256 to 512"),
    ],
)
def test_a_load_beyond_the_runs_is_named_with_its_range(batch: float, prompt: float, output: float, said: str) -> None:
    (warning,) = beyond(candidate(batch, 4), QUESTION, traffic(prompt, output))
    assert warning == f"pool p4 is beyond own fit prod: {said}"


def test_a_figure_that_all_runs_shared_is_one() -> None:
    alike = Envelope(clients=(8, 8), prompt_tokens=(1000, 1000), output_tokens=(200, 200), context_tokens=(1200, 1200))
    fit = replace(FIT, servers=(replace(SERVER, envelope=alike),))
    (warning,) = beyond(candidate(9, 4), replace(QUESTION, fit=fit), traffic(1000, 200))
    assert warning == "pool p4 is beyond own fit prod: 9 requests at once, seen 8"


def test_another_parallelism_is_named() -> None:
    (warning,) = beyond(candidate(1, 4, 8), QUESTION, traffic(1000, 300, pools=2))
    assert (
        warning
        == "pool p8: own fit prod has seen no h100 tp8, so its step times are the catalogue's, as without that fit"
    )


def test_of_several_figures_beyond_the_runs_each_is_named() -> None:
    (warning,) = beyond(candidate(65, 4), QUESTION, traffic(1155, 211))
    assert warning == (
        "pool p4 is beyond own fit prod: 65 requests at once, seen 1 to 64; "
        "prompts of 1,155 tokens, seen 512 to 1,024; outputs of 211 tokens, seen 256 to 512"
    )


def test_whose_the_front_end_is() -> None:
    pools, theirs = fleet(4, 8).pools, "vllm's front end by default (--front-end)"
    assert front_end(pools, replace(QUESTION, front_end=0.01)) == "front end, as given"
    assert front_end(pools[:1], QUESTION) == "front end, by own fit prod"
    assert front_end(pools, QUESTION) == f"front end, by own fit prod where it knows it, else {theirs}"
    unknown = replace(FIT, servers=(replace(SERVER, front_end=None),))
    assert front_end(pools, replace(QUESTION, fit=unknown)) == front_end(pools[1:], QUESTION) == theirs


def test_a_plan_is_told_where_ttft_was_longer_than_by_its_fit() -> None:
    fit = replace(FIT, servers=(replace(SERVER, ttft_gap=0.36),))
    (warning,) = beyond(candidate(9, 4), replace(QUESTION, fit=fit), traffic(1000, 300))
    assert (
        warning
        == "pool p4: TTFT measured 36% longer than by own fit prod, so that TTFT here may be that much longer, too"
    )


def test_a_fit_that_makes_a_plan_less_sure_says_so_once() -> None:
    narrow, wide = ((SERVER, (0.7, 1.5)), (SERVER, (0.9, 1.1)))
    fits = [replace(FIT, servers=(replace(one, unfitted=band),)) for one, band in (narrow, wide)]
    told = [beyond(candidate(9, 4, 4), replace(QUESTION, fit=fit), traffic(1000, 300, pools=2)) for fit in fits]
    assert told[0] == ()
    assert told[1] == (
        "own fit prod is less sure of h100 tp4 than no fit is: fleettui profile next last says which runs would narrow "
        "it",
    )


def test_how_exact_a_fit_is_near_a_load_that_was_seen() -> None:
    load = SeenLoad(
        rate=5.667,
        prompt_tokens=1000.0,
        output_tokens=300.0,
        prefix_hit=0.0,
        settings=EngineSettings(max_num_seqs=256, token_budget=8192),
        band=0.01,
    )
    seen = replace(FIT, servers=tuple(replace(one, seen=(load,)) for one in public(FIT).servers))
    (told,) = known(fleet(4), replace(QUESTION, fit=seen))
    assert told.endswith(
        "as fits to two runs keep on public servers; at the 5.67/s of a replica that were seen within 3%, near that "
        "within 11%"
    )
