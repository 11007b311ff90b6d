"""Judging: statements of a document in, a verdict on every claimed number out."""
