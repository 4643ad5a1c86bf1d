#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <vector>

/// All that the library needs from the operating system beyond the C++ standard library. CMake compiles one
/// implementation: system_posix.cpp (Linux; other POSIX systems without the Linux hints) or system_windows.cpp.
namespace rigcast::system {

/// Processors that this process may use, at least 1.
int num_processors();

/// The identifier of this process; a forked child has another one.
std::int64_t process_id();

/// Asks for huge pages for memory aligned to LargeArray::bytes_per_huge_page. A hint: may do nothing.
void advise_huge_pages(void* memory, std::size_t bytes) noexcept;

enum class ReadResult {
    complete,
    not_a_file,  // missing, not readable, or not a regular file
    cut_short,   // opened, but not readable to its end
};

/// Reads a regular file into `bytes`. Anything else, such as a pipe, gives not_a_file without blocking.
ReadResult read_regular_file(const std::string& path, std::vector<std::byte>& bytes);

/// A file that did not exist before, open for writing. Closed, not removed, on destruction.
class NewFile {
public:
    /// `exists` if another file has this name; `failed` for any other reason (see last_error).
    enum class Opened { yes, exists, failed };

    NewFile() = default;
    ~NewFile();
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    /// Creates and opens the file.
    Opened create(const std::string& path);
    /// Writes all bytes. Returns false on failure.
    bool write(std::span<const std::byte> bytes);
    /// Flushes to the storage device and closes. Returns false if either fails.
    bool finish();

private:
    std::intptr_t handle_ = -1;
};

/// Renames `from` to `to`, which may exist, atomically: a reader opens the old file or the new one. Returns false on
/// failure.
bool replace_file(const std::string& from, const std::string& to);

/// Removes a file; does nothing if there is none.
void remove_file(const std::string& path);

/// Flushes a folder, so that a rename in it survives a power cut. Does nothing on file systems that cannot.
void flush_folder(const std::string& folder);

/// The reason for the last failure of a function above on this thread.
std::error_code last_error();

}  // namespace rigcast::system
