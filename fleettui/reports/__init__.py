"""Values become text, tables, pictures and data: nothing here prints, reads a file or knows the terminal.

What is told, from the value to the page:

- a figure: `units` writes it with its unit; `quantity` reads and writes what people type, `question` whole questions;
- a table: objects and `columns` (a column is declared once: value, how it is written, its head, its name in data)
  become a `table.Table`, or CSV; a study's table (`domain.study.table_of`) becomes one in `study_tables`;
- sentences, labelled facts and tables: blocks of a `text_page`; `plan_text`, `jobs_text`, `study_text`, `check_text`
  and the others only say which blocks there are;
- files that deploy a plan: `handoff`, a format a file;
- a picture: `chart.Chart`, made in `candidate_chart`, `study_chart`, `workload_charts` and `comparison.pictures`.

Each target has one renderer: `table.render` and `text_page` for the terminal, `chart_text` for its pictures,
`markdown` for Markdown, `report.page` for HTML, `chart_svg` for SVG, `columns.csv_text` for CSV, `plan_json.envelope`
for JSON; the app's lists lay the same `Table` out in `tui.widgets.table_lines`.
"""
