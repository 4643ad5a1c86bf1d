#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace rigwright {

/// The bytes of a regular file. Throws ArgumentError, which names `function`, on anything else, such as a pipe, which
/// could block for ever, and on a file that cannot be read to its end.
std::vector<std::byte> read_file(const std::string& function, const std::string& path);

/// Writes a file atomically: into a temporary file of its own beside it ("PATH.part.PROCESS.NUMBER"), flushed, then
/// renamed, then the folder flushed. Whatever happens, the path holds the old file or all of the new one, also when
/// several threads write it at once. Throws ArgumentError, which names `function`, where that fails.
void write_file(const std::string& function, const std::string& path, std::span<const std::byte> bytes);

}  // namespace rigwright
