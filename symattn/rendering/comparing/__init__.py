"""A comparison as a document: exact beside written, told in a language as blocks."""
