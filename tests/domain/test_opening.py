from fleettui.domain.opening import Opening


def test_without_a_word_it_is_the_last_plan() -> None:
    assert Opening() == Opening(kind="last", text="")
