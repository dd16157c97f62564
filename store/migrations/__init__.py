"""Steps from older tables to the present ones; nothing here is imported while a file is up to date."""
