# Test targets that need more than the unit tests: see docs/testing.md.
