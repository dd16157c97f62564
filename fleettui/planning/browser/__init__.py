"""The app in a browser, for those without a terminal: the extra `serve`, which nothing imports unasked."""
