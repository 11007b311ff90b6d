"""The worked example, the pipeline over it, and the trace it leaves."""
