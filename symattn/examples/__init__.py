"""Specs that come with the package."""
