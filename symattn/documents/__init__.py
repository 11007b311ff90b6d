"""Documents of other people: read, judged, reported."""
