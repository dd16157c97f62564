from fleettui.domain.hardware import Citation
from fleettui.reports.labelled_lines import details, sources


def test_labels_are_padded_and_long_texts_hang() -> None:
    text = details("thing", [("a", "word " * 6), ("long label", "x"), ("none", "")], width=30)
    assert text.splitlines() == [
        "thing",
        "  a           word word word",
        "              word word word",
        "  long label  x",
    ]


def test_fields_of_one_source_stand_together() -> None:
    cited = (
        Citation(field="memory", source="datasheet"),
        Citation(field="bandwidth", source="datasheet"),
        Citation(field="price", source="a page", confidence="low"),
    )
    assert sources(cited) == [("source", "memory, bandwidth: datasheet"), ("source", "price: a page (low confidence)")]
