"""Benchmarks: `python -m bench.render`, `bench.build`, `bench.cold` from the checkout; see docs/benchmarks.md."""
