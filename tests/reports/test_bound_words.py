from fleettui.reports.bound_words import at_least, at_most


def test_a_whole_percentage_stays() -> None:
    for whole in range(101):
        assert at_least(whole / 100) == at_most(whole / 100) == f"{whole}%"


def test_what_lies_between_is_told_away_from_what_would_promise_more() -> None:
    assert (at_least(0.0365), at_most(0.0314)) == ("3%", "4%")
