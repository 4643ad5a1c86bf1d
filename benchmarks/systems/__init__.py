"""Scripts that write the pages of docs/benchmarks, run again for each release: one room per system."""
