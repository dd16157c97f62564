"""What a backtest found, in words, as a study, and as a line on later plans."""
