import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from fleettui.reports.report.build import report
from fleettui.reports.report.model import Kept
from fleettui.reports.report.page import BAND, COLOURS, INK, MUTED, PAPER, report_html
from tests.reports.report.conftest import NAME

VOID = {"meta", "br", "hr", "img", "input", "link"}
"""Elements without an end."""
LEAST_CONTRAST = 4.5
"""What WCAG 2.2 asks of text at level AA."""


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    parent: "Element | None"
    text: str = ""
    children: "list[Element]" = field(default_factory=list)

    def all(self, *tags: str) -> "Iterator[Element]":
        for child in self.children:
            if child.tag in tags:
                yield child
            yield from child.all(*tags)

    def words(self) -> str:
        return self.text + "".join(child.words() for child in self.children)


class Tree(HTMLParser):
    """Builds the tree of a page, and fails where an element is not closed in its turn."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.root = self.at = Element("", {}, None)
        self.feed(page)
        self.close()
        assert self.at is self.root, f"<{self.at.tag}> is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), self.at)
        assert len(element.attributes) == len(attrs), f"<{tag}> has an attribute twice"
        self.at.children.append(element)
        if tag not in VOID:
            self.at = element

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.at.tag, f"</{tag}> closes <{self.at.tag}>"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.text += data


@pytest.fixture(params=["kept", "proved", "infeasible"])
def page(request: pytest.FixtureRequest) -> str:
    return report_html(report(request.getfixturevalue(request.param)))


def test_it_is_well_formed_and_accessible(page: str) -> None:
    root = Tree(page).root
    (html,) = root.all("html")
    assert html.attributes["lang"] == "en"
    (title,) = root.all("title")
    assert title.words().strip()
    levels = [int(one.tag[1]) for one in root.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert [len(list(root.all(name))) for name in ("header", "main", "footer")] == [1, 1, 1]
    names = [one.attributes["id"] for one in root.all("section")]
    assert len(set(names)) == len(names)


def test_tables_have_captions_and_heads_that_say_what_they_head(page: str) -> None:
    tables = list(Tree(page).root.all("table"))
    assert tables
    for table in tables:
        (caption,) = table.all("caption")
        assert caption.words().strip()
        for head in table.all("th"):
            assert head.attributes["scope"] in ("col", "row")
            assert head.words().strip()
        (above,) = table.all("thead")
        columns = len(list(above.all("th")))
        (body,) = table.all("tbody")
        assert all(len(row.children) == columns for row in body.all("tr"))


def test_it_needs_nothing_but_itself(page: str) -> None:
    root = Tree(page).root
    assert not list(root.all("script", "link", "iframe", "img", "object"))
    (style,) = root.all("style")
    assert "url(" not in style.text
    assert "@import" not in style.text
    assert "size: A4" in style.text
    assert not re.search(r"(?:src|href)\s*=", page)


def test_a_name_is_text(kept: Kept) -> None:
    page = report_html(report(kept))
    root = Tree(page).root
    assert not list(root.all("b"))
    (title,) = root.all("h1")
    assert title.words() == f"Capacity plan {kept.handle}: {NAME}"


def test_it_says_what_the_report_says(kept: Kept) -> None:
    told, flat = report(kept), " ".join(Tree(report_html(report(kept))).root.words().split())
    for section in told.sections:
        for words in (section.title, *section.sentences):
            assert words in flat
        for table in section.tables:
            assert all(cell in flat for row in table.rows for cell in row)


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_that_of_white_and_black() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(
    ("front", "back"), [(INK, PAPER), (INK, BAND), (MUTED, PAPER), *((PAPER, one) for one in COLOURS.values())]
)
def test_text_stands_out(front: str, back: str) -> None:
    assert contrast(front, back) >= LEAST_CONTRAST
