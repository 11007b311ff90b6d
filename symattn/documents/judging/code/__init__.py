"""Printed outputs judged by the expression that printed them: programs are read, never run."""
