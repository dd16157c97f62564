"""A price that makes a fleet cheaper names what of it a plan may set aside there, and for which fleet."""

from dataclasses import replace

from fleettui.optimize.reasons.all_reasons import _of_prices
from fleettui.optimize.reasons.flips import Flip, flips, sentences
from fleettui.optimize.reasons.inputs import Ground, words
from fleettui.optimize.reasons.price_lines import at_price
from fleettui.optimize.reasons.set_aside import with_aside
from tests.optimize.reasons.grounds import answer_of, ground
from tests.optimize.samples import atoms, profile, question

KNOWN = replace(profile("known", price=3.0), band=(0.8, 1.3))
UNSURE = replace(profile("unsure", price=1.4), band=(0.6, 4.0))
OTHER = replace(profile("other", speed=0.9, price=2.5), band=(0.6, 4.0))
ASKED = question(ttft=2.0, pools=(1,))


def turned(base: Ground) -> dict[tuple[str, str], Flip]:
    found = with_aside(flips(base, base.kept), base)
    return {(one.gpu, one.direction): one for one in found if one.price is not None}


def test_what_a_plan_sets_aside_past_a_price_is_named() -> None:
    """Found: "b200 below $3.98/h: MI300X tp1 x1 + B200 tp1 x1 costs less", where a plan is 2 B200."""
    base = ground(ASKED, 45.0, atoms(5), [KNOWN, UNSURE, OTHER])
    assert base.kept.answer is not None
    assert {*base.kept.answer.fleet.gpus_by_type} == {"unsure"}
    asked = {("unsure", "above"): 1.01, ("known", "below"): 0.99, ("other", "below"): 0.99}
    found = turned(base)
    assert found.keys() == asked.keys()
    for (gpu, way), by in asked.items():
        one = found[gpu, way]
        assert one.price is not None
        plan = base.best(at_price(ASKED, gpu, by * one.price))
        assert one.winner is not None
        assert plan is not None
        same = one.winner.fleet == plan.fleet
        assert one.aside == ("" if same else f"a plan there may set other aside for {words(plan)}")
    assert [one.aside for one in found.values() if one.aside] == [found["unsure", "above"].aside]


def test_the_line_and_the_table_of_prices_say_what_is_set_aside() -> None:
    base = ground(ASKED, 45.0, atoms(5), [KNOWN, UNSURE, OTHER])
    told, best = _of_prices(base, answer_of(base), lambda _: None), answer_of(base)
    aside = turned(base)["unsure", "above"].aside
    (said,) = (one for one in told.sentences if one.startswith("unsure above $2.5000/h"))
    assert said.endswith(f": OTHER tp2 x2 costs less, by formula; {aside}")
    assert told.tables[0].note.endswith(f"; unsure above $2.50: {aside}")
    plain = flips(base, base.kept)
    assert not any("aside" in one for one in sentences(plain, best))
    alike = [replace(one, band=None) for one in (KNOWN, UNSURE, OTHER)]
    assert not any(one.aside for one in turned(ground(ASKED, 45.0, atoms(5), alike)).values())
