"""The sections of a derivation document, one module for each stage: `Story` in, blocks out."""
