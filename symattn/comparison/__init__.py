"""Exact beside written: where each digit was lost, and how far one may round."""
