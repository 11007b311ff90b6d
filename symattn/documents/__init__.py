"""Reading what other people wrote."""
