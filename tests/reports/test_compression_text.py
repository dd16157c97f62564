"""What is said of compression where a plan has any."""

from dataclasses import replace

from fleettui.domain.fleet import Fleet
from fleettui.domain.measured_share import MeasuredShare
from fleettui.domain.scenario import Question
from fleettui.domain.study import Study, table_of
from fleettui.reports.compression_text import AT_SPLITS, NONE, SAVES, UNKNOWN, compression_items, largest_gamma
from fleettui.reports.table import Table
from tests.store import samples

MEASURED = MeasuredShare(study="e40e", share=0.75, low=0.7, high=0.8, split=4096, gamma=1.5, seconds=0.00315)


def fleet(gamma: float) -> Fleet:
    return replace(samples.candidate().fleet, gamma=gamma, compressible=0.75)


def asked(most: float) -> Question:
    return replace(samples.question(), gamma=(1.0, most))


def reasons(title: str) -> Study:
    table = table_of(title, [1.5], ("gamma", "number", lambda row: row))
    return Study(kind="why", title="", question="", tables=(table,))


def test_without_compression_nothing_is_said() -> None:
    assert compression_items(fleet(1.0), asked(1.0), reasons(SAVES)) == []
    one = replace(fleet(1.0), pools=fleet(1.0).pools[:1])
    assert compression_items(one, asked(2.0), None) == [NONE, UNKNOWN]


def test_the_band_the_cliff_and_the_share_are_told() -> None:
    short, long = fleet(1.5).pools
    first, hint = compression_items(fleet(1.5), asked(2.0), None)
    told = str(first)
    ratio = short.concurrency / long.concurrency
    assert f"Requests of 4,097 to 6,144 tokens are borderline: a replica of pool {short.name} runs" in told
    assert f"a cliff of {ratio:.1f} times the place." in told
    assert "75% of them are assumed to compress; :compress measures that." in told
    assert hint == UNKNOWN
    measured = replace(asked(2.0), compressor=MEASURED)
    known, _ = compression_items(fleet(1.5), measured, None)
    assert "as study e40e measured (70% to 80%), in 3.1" in str(known)


def test_a_kept_study_of_the_reasons_brings_its_table() -> None:
    assert isinstance(compression_items(fleet(1.5), asked(2.0), reasons(SAVES))[1], Table)
    assert compression_items(fleet(1.5), asked(2.0), reasons("another"))[1] == UNKNOWN
    both = replace(reasons(SAVES), tables=reasons(SAVES).tables + reasons(AT_SPLITS).tables)
    assert len(compression_items(fleet(1.5), asked(2.0), both)) == 3


def test_the_band_is_the_fleets_or_the_largest_that_is_searched() -> None:
    assert largest_gamma(asked(2.0), fleet(1.5)) == 1.5
    assert largest_gamma(asked(2.0), fleet(1.0)) == largest_gamma(asked(2.0), None) == 2.0
