"""Formulas of other people's documents, read into trees that know their places.

Arrives: LaTeX (`chains.read_math`), or plain text, code and prose (`code.read_code`, `read_prose`, `read_source`).
Leaves: chains of relations between trees (`tree`), with an `Unread` and its reason where something could not be read;
`value.evaluate` says what a tree is worth, by the arithmetic of `scalars`, `tables` and `functions`. Text becomes
tokens (`latex`, `plain`), neighbours say what they are (`settled`, `told`), brackets find their partners (`tokens`),
rows and relations part the tokens (`chains`), and each part is parsed alone (`parser`, `matrices`).
"""
