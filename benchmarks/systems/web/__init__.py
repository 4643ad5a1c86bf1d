"""The engine as WebAssembly, beside the native one."""
