"""A question as text: its parts by name, read, written, merged and filed."""
