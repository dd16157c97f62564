"""A study of the compressor beside a question that names it."""

from dataclasses import replace

import pytest

from fleettui.domain.borderline import Band
from fleettui.domain.compression_procedure import Procedure
from fleettui.domain.compression_trial import Trials, Tried
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.scenario import Scenario
from fleettui.errors import InputError
from fleettui.planning.make_plan import make_plan
from fleettui.planning.measured_shares import looked_up
from fleettui.reports import input_changes
from fleettui.reports.studies.compression import CompressionStory
from store import Store
from tests.store import samples


def tried(number: int) -> Tried:
    reason = "code" if number % 4 == 0 else ""
    return Tried(prompt=9000, output=100, kept=8000, category=reason or "prose", reason=reason, seconds=0.001 * number)


def measured(store: Store, count: int) -> str:
    """The handle of a study of so many borderline prompts, three of four compressed."""
    trials = Trials(short=3, tried=tuple(map(tried, range(count))))
    procedure = Procedure(band=Band(split=8192, gamma=1.5))
    story = CompressionStory(trials=trials, procedure=procedure, counter="bytes", asked="compress x")
    return store.add_study(story.study()).handle


def test_a_question_takes_what_the_study_found(store: Store) -> None:
    handle = measured(store, 40)
    asked = replace(samples.question(), compressor=MeasuredShare(study=handle))
    found = looked_up(asked, store)
    assert found.compressible == 0.75
    assert found.compressor is not None
    assert (found.compressor.study, found.compressor.split, found.compressor.gamma) == (handle, 8192, 1.5)
    assert (found.compressor.low, found.compressor.high) == (0.5981, 0.8581)
    assert (found.compressor.seconds, found.compressor.mean_seconds) == (0.039, 0.0195)
    assert looked_up(found, store) is found
    assumed = replace(asked, compressor=None, compressible=0.75)
    (change,) = (one.text for one in input_changes.of_question(assumed, found))
    assert change.startswith(f"compressible: 75% -> 75% measured by {handle}: 59.81% to 85.81%")


def test_a_question_without_a_study_opens_no_store() -> None:
    def fails() -> Store:
        raise AssertionError("the store was opened")

    assert looked_up(samples.question(), fails) == samples.question()


def test_a_study_that_measured_no_share_is_refused(store: Store) -> None:
    other = store.add_study(samples.study()).handle
    for handle, words in ((measured(store, 0), "found nobody borderline"), (other, "of kind")):
        with pytest.raises(InputError, match=words):
            looked_up(replace(samples.question(), compressor=MeasuredShare(study=handle)), store)


@pytest.mark.asyncio
async def test_a_plan_of_a_study_that_is_not_there_begins_no_work(store: Store) -> None:
    with pytest.raises(InputError, match="no study"):
        await make_plan(replace(samples.question(), compressor=MeasuredShare(study="beef")), store=store)


def test_nothing_is_kept_that_nobody_looked_up() -> None:
    asked = replace(samples.question(), compressor=MeasuredShare(study="beef"))
    with pytest.raises(AssertionError, match="looked up"):
        Scenario(question=asked, workload="", profiles=(), rate=1.0, engine_version=1)
