from fleettui.reports.text_page import details, fact, lines


def test_labels_are_padded_and_long_texts_hang() -> None:
    text = details("thing", [("a", "word " * 6), ("long label", "x"), ("none", "")], width=30)
    assert text.splitlines() == [
        "thing",
        "  a           word word word",
        "              word word word",
        "  long label  x",
    ]


def test_a_label_in_the_margin_and_the_text_under_itself() -> None:
    assert lines(fact("why", "one two"), 12) == ["why     one", "        two"]
    assert lines(fact("", "one")) == ["        one"]
    assert fact("why", "") == []
