from fleettui.planning.tasks.task_cache import Recent


def test_a_value_is_made_once_until_others_push_it_out_and_the_oldest_asked_for_goes_first() -> None:
    made: list[str] = []
    kept = Recent[str](2)

    def get(key: str) -> str:
        return kept.get(key, lambda: made.append(key) or key.upper())  # type: ignore[func-returns-value]

    assert [get(key) for key in "abab"] == ["A", "B", "A", "B"]
    assert made == ["a", "b"]
    get("a")
    get("c")
    assert get("a") == "A"
    assert made == ["a", "b", "c"]
    get("b")
    assert made == ["a", "b", "c", "b"]
