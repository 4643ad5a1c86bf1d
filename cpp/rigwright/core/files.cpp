#include "rigwright/core/files.h"

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "rigwright/core/error.h"
#include "rigwright/core/system.h"

namespace rigwright {
namespace {

using Opened = system::NewFile::Opened;

/// Creates a temporary file in the folder of `path` under a name that no other thread or process uses, and writes the
/// name to `name`. Returns false if that fails.
bool create_temporary(const std::string& path, system::NewFile& file, std::string& name) {
    static std::atomic<std::uint64_t> count{0};
    for (;;) {
        name = path + ".part." + std::to_string(system::process_id()) + "." + std::to_string(count++);
        const Opened opened = file.create(name);
        if (opened != Opened::exists) return opened == Opened::yes;
    }
}

}  // namespace

std::vector<std::byte> read_file(const std::string& function, const std::string& path) {
    std::vector<std::byte> bytes;
    switch (system::read_regular_file(path, bytes)) {
        case system::ReadResult::complete:
            return bytes;
        case system::ReadResult::cut_short:
            throw bad_argument(function, path, "a file that could not be read to its end", "a readable file");
        default:
            throw bad_argument(function, path, "not a readable file", "a model file");
    }
}

void write_file(const std::string& function, const std::string& path, std::span<const std::byte> bytes) {
    std::string temporary;
    system::NewFile file;
    const auto fail = [&](const std::string& what) {
        const std::string reason = system::last_error();
        system::remove_file(temporary);
        throw bad_argument(function, "path", "'" + path + "', for which " + what + " failed (" + reason + ")",
                           "writable");
    };
    if (!create_temporary(path, file, temporary)) fail("creating a file");
    if (!file.write(bytes)) fail("writing");
    if (!file.finish()) fail("flushing");
    if (!system::replace_file(temporary, path)) fail("renaming");
    // The rename has succeeded: a file system that cannot flush folders is no failure.
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    system::flush_folder(folder.empty() ? "." : folder.string());
}

}  // namespace rigwright
