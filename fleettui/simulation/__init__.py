"""The one engine that gives evidence: token-exact continuous batching, its statistics, and its plain twin."""
