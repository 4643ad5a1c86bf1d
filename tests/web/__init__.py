"""The engine in WebAssembly, and the pages that carry it."""
