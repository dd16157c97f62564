from fleettui.reports.markdown import plain, table_markdown
from fleettui.reports.table import Head, Table


def test_signs_of_markdown_are_shown_as_they_are() -> None:
    assert plain("*a* `b` [c](d)\n<i>&amp;") == r"\*a\* \`b\` \[c\](d) &lt;i>&amp;amp;"


def test_a_table_has_its_title_above_and_its_note_below() -> None:
    columns = (Head(title="pool"), Head(title="GPUs", align="right"))
    text = table_markdown(Table(title="pools", columns=columns, rows=(("a|b", "48"),), note="by formula"))
    assert text.split("\n\n") == ["pools", "| pool | GPUs |\n| --- | ---: |\n| a\\|b | 48 |", "by formula"]
