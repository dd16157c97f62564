"""A plan on one page for whoever decides: one view that HTML, Markdown and text are written from."""
