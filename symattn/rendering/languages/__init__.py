"""The phrases of each language, as data."""
