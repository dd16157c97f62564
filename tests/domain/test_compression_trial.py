from fleettui.domain.compression_trial import Trials, Tried

ONE = Tried(prompt=10, output=1, kept=8, category="prose", seconds=0.1)


def test_parts_of_a_file_come_to_the_file() -> None:
    one = Trials(short=1, tried=(ONE,), skipped={"not JSON": 2}, digest="f" * 64)
    other = Trials(beyond=3, tried=(ONE, ONE), skipped={"not JSON": 1, "no prompt text": 1}, digest="2".rjust(64, "0"))
    found = Trials.joined([one, other])
    assert (found.short, found.beyond, len(found.tried)) == (1, 3, 3)
    assert found.skipped == {"not JSON": 3, "no prompt text": 1}
    assert found.digest == "1".rjust(64, "0")
    assert Trials.joined([]) == Trials()
