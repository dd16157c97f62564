"""A report as one page of HTML that needs no other file, no script and no network, and prints on A4."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fleettui.domain.plan import Verdict
from fleettui.reports.bars_svg import bars_svg
from fleettui.reports.chart_svg import chart_svg
from fleettui.reports.report.model import Report, Section
from fleettui.reports.table import Head, Table

INK, PAPER, MUTED, BAND, RULE = "#1b1f24", "#ffffff", "#4a525c", "#f2f4f7", "#c5ccd6"
COLOURS: dict[Verdict, str] = {"pass": "#0b6330", "fail": "#a4001a", "unproven": "#7a4b00", "infeasible": "#a4001a"}
"""What the word of a verdict stands on, in the paper's colour."""
STYLE = f"""
@page {{ size: A4; margin: 9mm 12mm; }}
* {{ box-sizing: border-box; }}
html {{ color: {INK}; background: {PAPER}; font: 15px/1.45 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; }}
body {{ max-width: 62rem; margin: 1.5rem auto; padding: 0 1rem; }}
h1 {{ font-size: 1.5em; margin: 0 0 .3em; }}
h2 {{ font-size: 1.02em; margin: 1em 0 .25em; padding-bottom: .1em; border-bottom: 1px solid {RULE}; }}
p, ul {{ margin: .25em 0; }}
ul {{ padding-left: 1.2em; }}
.answer {{ font-size: 1.2em; }}
.verdict {{ color: {PAPER}; font-weight: 700; padding: .1em .5em; border-radius: .2em; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; width: 100%; margin: .35em 0; font-variant-numeric: tabular-nums; }}
caption {{ text-align: left; color: {MUTED}; padding-bottom: .15em; }}
.unseen {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }}
th, td {{ text-align: left; vertical-align: top; padding: .12em .8em .12em 0; overflow-wrap: anywhere; }}
thead th {{ color: {MUTED}; border-bottom: 1px solid {RULE}; }}
tbody th {{ font-weight: 600; }}
.short {{ white-space: nowrap; overflow-wrap: normal; }}
.number {{ text-align: right; }}
.figures td, .figures tbody th {{ font-size: 1.3em; font-weight: 600; background: {BAND}; padding: .15em .4em; }}
.note, footer {{ color: {MUTED}; font-size: .9em; }}
footer {{ margin-top: 1em; border-top: 1px solid {RULE}; padding-top: .3em; }}
footer dl {{ margin: 0; display: flex; flex-wrap: wrap; gap: 0 1.2em; }}
footer div {{ display: flex; gap: .35em; }}
footer dd {{ margin: 0; }}
@media print, (min-width: 60rem) {{
  section {{ display: grid; grid-template-columns: 7.5em minmax(0, 1fr); column-gap: 1em; padding: .35em 0;
    border-top: 1px solid {RULE}; }}
  section > * {{ grid-column: 2; }}
  section > h2 {{ grid-column: 1; grid-row: 1 / span 9; margin: 0; border: 0; }}
}}
@media print {{
  html {{ font-size: 8.2pt; line-height: 1.22; -webkit-print-color-adjust: exact; print-color-adjust: exact; }}
  body {{ max-width: none; margin: 0; padding: 0; }}
  section {{ padding: .2em 0; }}
  table, p, ul {{ margin: .1em 0; }}
  th, td, caption {{ padding-top: .03em; padding-bottom: .03em; }}
  footer {{ margin-top: 0; }}
  tr {{ break-inside: avoid; }}
  #assumptions-by-origin table {{ font-size: .86em; }}
}}
"""


def report_html(report: Report) -> str:
    """Return the whole page."""
    word = f'<span class="verdict" style="background: {COLOURS[report.verdict]}">{escape(report.word)}</span>'
    foot = (f"<div><dt>{escape(label)}</dt><dd>{escape(text)}</dd></div>" for label, text in report.foot)
    parts = (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(report.title)}</title>",
        f"<style>{STYLE}</style>",
        "</head>",
        "<body>",
        "<header>",
        f"<h1>{escape(report.title)}</h1>",
        f'<p class="answer">{word} {escape(report.answer)}</p>',
        "</header>",
        "<main>",
        *(_section(section) for section in report.sections),
        "</main>",
        f"<footer><dl>{''.join(foot)}</dl></footer>",
        "</body>",
        "</html>",
    )
    return "\n".join(parts)


def _section(section: Section) -> str:
    name = "".join(sign if sign.isalnum() else "-" for sign in section.title.lower())
    tables = [_table(table, section, number) for number, table in enumerate(section.tables)]
    pictures = [f'<div class="wide">{bars_svg(section.pictures)}</div>'] if section.pictures else []
    charts = [f'<div class="wide">{chart_svg(one, f"{name}-{at}-")}</div>' for at, one in enumerate(section.charts)]
    parts = (*_sentences(section.sentences), *tables, *pictures, *charts)
    inside = "\n".join((f"<h2>{escape(section.title)}</h2>", *parts))
    return f'<section id="{escape(name)}">\n{inside}\n</section>'


def _sentences(sentences: Sequence[str]) -> list[str]:
    if len(sentences) < 2:
        return [f"<p>{escape(sentence)}</p>" for sentence in sentences]
    return ["<ul>", *(f"<li>{escape(sentence)}</li>" for sentence in sentences), "</ul>"]


def _table(table: Table, section: Section, number: int) -> str:
    """Return a table; one without a title is called like its section, for those who hear the page."""
    caption = f"<caption>{escape(table.title)}</caption>"
    if not table.title:
        caption = f'<caption class="unseen">{escape(section.title)}, table {number + 1}</caption>'
    heads = "".join(f'<th scope="col"{_class(column)}>{escape(column.title)}</th>' for column in table.columns)
    figures = ' class="figures"' if len(table.rows) == 1 else ""
    rows = "\n".join(_row(row, table.columns) for row in table.rows)
    note = f'\n<p class="note">{escape(table.note)}</p>' if table.note else ""
    head = f"<thead><tr>{heads}</tr></thead>"
    return f'<div class="wide"><table{figures}>{caption}\n{head}\n<tbody>\n{rows}\n</tbody></table></div>{note}'


def _row(row: Sequence[str], columns: Sequence[Head]) -> str:
    first, *others = ((escape(cell), _class(column)) for cell, column in zip(row, columns, strict=True))
    cells = "".join(f"<td{style}>{cell}</td>" for cell, style in others)
    return f'<tr><th scope="row"{first[1]}>{first[0]}</th>{cells}</tr>'


def _class(column: Head) -> str:
    names = [*(["number"] if column.align == "right" else []), *([] if column.wrap else ["short"])]
    return f' class="{" ".join(names)}"' if names else ""
