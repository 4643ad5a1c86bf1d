"""What the pages of docs/benchmarks are written from, run again for each release: one room per system."""
