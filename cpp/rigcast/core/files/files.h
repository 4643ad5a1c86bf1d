#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rigcast/core/error.h"

namespace rigcast {

/// An ArgumentError about a file, with its path.
struct FileError : ArgumentError {
    FileError(const std::string& of, const std::string& name, const std::string& is, const std::string& must_be,
              const std::string& file)
        : ArgumentError(of, name, is, must_be), path(file) {}

    std::string path;
};

/// Reads a regular file. Throws FileError, which names `function`, if there is no such file, if it is something
/// else (a pipe could block for ever), or if it cannot be read to its end.
std::vector<std::byte> read_file(const std::string& function, const std::string& path);

/// Writes a file atomically.
/// Method: writes and flushes a new temporary file "NAME.part.PROCESS.NUMBER" (a long name cut), renames it, flushes
/// the folder. Guarantee: whatever happens, PATH is the old file or all of the new one, even if several threads write
/// it at once. A symbolic link stays: the file that it leads to is replaced. A replaced file hands on its permissions.
/// Throws FileError, which names `function`, if PATH is a folder, a pipe, a device or read-only;
/// std::filesystem::filesystem_error, with the system's code, if a step fails.
void write_file(const std::string& function, const std::string& path, std::span<const std::byte> bytes);

}  // namespace rigcast
