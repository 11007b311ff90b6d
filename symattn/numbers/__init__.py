"""The arithmetics: exponential sums, written decimals and rounding, certified decimals, balls and floats."""
