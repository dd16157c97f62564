"""A report as Markdown and as text; HTML has a module of its own."""

from __future__ import annotations

from collections.abc import Iterator

from fleettui.reports.markdown import plain, table_markdown
from fleettui.reports.report.model import Report, Section
from fleettui.reports.table import WIDTH, render, wrap


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


def report_text(report: Report, width: int = WIDTH) -> str:
    """Return a report as lines of at most `width` characters."""
    blocks = [[*wrap(report.title, width), *wrap(report.answer, width, f"{report.word}   ")]]
    blocks += [_lines(section, width) for section in report.sections]
    blocks.append(wrap("   ".join(f"{label} {text}" for label, text in report.foot), width))
    return "\n\n".join("\n".join(block) for block in blocks)


def _lines(section: Section, width: int) -> list[str]:
    bullet = "- " if len(section.sentences) > 1 else ""
    sentences = [line for sentence in section.sentences for line in wrap(sentence, width, bullet)]
    tables = [line for table in section.tables for line in ("", *render(table, width).splitlines())]
    return [section.title.upper(), *(sentences or []), *(tables if sentences else tables[1:])]
