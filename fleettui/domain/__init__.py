"""The nouns of capacity planning as frozen values: no input, no output, no arithmetic beyond checks."""
