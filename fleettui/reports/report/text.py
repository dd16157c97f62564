"""A report as Markdown and as text; HTML has a module of its own."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.reports.bars_text import bars_text
from fleettui.reports.chart_text import chart_lines
from fleettui.reports.markdown import plain, table_markdown
from fleettui.reports.report.model import Report, Section
from fleettui.reports.table import WIDTH
from fleettui.reports.text_page import Item, text_page

DRAWN = 10
"""Lines of a chart."""


def report_markdown(report: Report) -> str:
    """Return a report as Markdown, to paste into a ticket or a wiki."""
    blocks = [f"# {plain(report.title)}", f"**{plain(report.word)}** {plain(report.answer)}"]
    for section in report.sections:
        blocks += [f"## {plain(section.title)}", *_marked(section)]
    blocks.append("---\n\n" + " · ".join(f"{label} {plain(text)}" for label, text in report.foot))
    return "\n\n".join(blocks)


def _marked(section: Section) -> Iterator[str]:
    sentences = [plain(sentence) for sentence in section.sentences]
    if len(sentences) == 1:
        yield sentences[0]
    elif sentences:
        yield "\n".join(f"- {sentence}" for sentence in sentences)
    yield from map(table_markdown, section.tables)
    yield from (f"```\n{bars_text(one)}\n```" for one in section.pictures)
    yield from (f"```\n{chart_lines(one, WIDTH, DRAWN)}\n```" for one in section.charts)


def report_text(report: Report, width: int = WIDTH) -> str:
    """Return a report as lines of at most `width` characters."""
    head: list[Item] = [report.title, (f"{report.word}   ", report.answer)]
    foot = "   ".join(f"{label} {text}" for label, text in report.foot)
    blocks = [text_page([_block(section)], width) + _drawn(section, width) for section in report.sections]
    return "\n\n".join([text_page([head], width), *blocks, text_page([[foot]], width)])


def _drawn(section: Section, width: int) -> str:
    """Return a section's pictures, each after an empty line."""
    pictures = [bars_text(one, width) for one in section.pictures]
    pictures += [chart_lines(one, width, DRAWN) for one in section.charts]
    return "".join(f"\n\n{one}" for one in pictures)


def _block(section: Section) -> list[Item]:
    """Return the title, the sentences, and the tables, each after an empty line but where it is all there is."""
    bullet = "- " if len(section.sentences) > 1 else ""
    tables = [item for table in section.tables for item in ("", table)]
    sentences = [(bullet, sentence) for sentence in section.sentences]
    return [section.title.upper(), *sentences, *(tables if sentences else tables[1:])]
