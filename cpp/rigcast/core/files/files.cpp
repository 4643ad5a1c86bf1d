#include "rigcast/core/files/files.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "rigcast/core/system.h"

namespace rigcast {
namespace {

namespace fs = std::filesystem;
using Opened = system::NewFile::Opened;

/// Paths are UTF-8 in the library, on every system.
fs::path from_utf8(const std::string& path) {
    return std::u8string(path.begin(), path.end());
}

std::string to_utf8(const fs::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

/// Creates a temporary file beside `target` under a name that no other thread or process uses, and writes the name to
/// `name`. Returns false if that fails.
bool create_temporary(const fs::path& target, system::NewFile& file, std::string& name) {
    static std::atomic<std::uint64_t> count{0};
    constexpr std::size_t most_bytes = 50;  // of the target's name: file systems allow 255 in all
    const std::string start = to_utf8(target.filename()).substr(0, most_bytes);
    for (;;) {
        name = to_utf8(target.parent_path() / from_utf8(start)) + ".part." + std::to_string(system::process_id()) +
               "." + std::to_string(count++);
        const Opened opened = file.create(name);
        if (opened != Opened::exists) return opened == Opened::yes;
    }
}

/// The file that a path leads to through symbolic links, which need not exist.
fs::path followed(fs::path path) {
    constexpr int max_links = 40;  // as Linux: a longer chain is a circle
    std::error_code failed;
    for (int link = 0; link < max_links; ++link) {
        const fs::path next = fs::read_symlink(path, failed);
        if (failed) break;
        path = path.parent_path() / next;
    }
    return path;
}

/// The permissions of the file that will be replaced, `unknown` if there is none. Throws FileError if it is no
/// file, or is read-only: a rename would replace it all the same.
fs::perms permissions_of_replaced(const std::string& function, const std::string& path, const fs::path& target) {
    std::error_code failed;
    const auto refuse = [&](const char* what, const char* expected) {
        return FileError(function, "path", "'" + path + "', which is " + what, expected, path);
    };
    if (fs::is_symlink(fs::symlink_status(target, failed))) throw refuse("one of a circle of links", "a file");
    const fs::file_status status = fs::status(target, failed);
    if (!fs::exists(status)) return fs::perms::unknown;
    if (fs::is_directory(status)) throw refuse("a folder", "a file");
    if (!fs::is_regular_file(status)) throw refuse("a pipe or a device", "a file");
    constexpr fs::perms write = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
    if ((status.permissions() & write) == fs::perms::none) throw refuse("read-only", "writable");
    return status.permissions();
}

}  // namespace

std::vector<std::byte> read_file(const std::string& function, const std::string& path) {
    std::vector<std::byte> bytes;
    switch (system::read_regular_file(path, bytes)) {
        case system::ReadResult::complete:
            return bytes;
        case system::ReadResult::cut_short:
            throw FileError(function, path, "a file that could not be read to its end", "a readable file", path);
        default:
            throw FileError(function, path, "not a readable file", "a model file", path);
    }
}

void write_file(const std::string& function, const std::string& path, std::span<const std::byte> bytes) {
    const fs::path target = followed(from_utf8(path));
    const fs::perms permissions = permissions_of_replaced(function, path, target);
    std::string temporary;
    system::NewFile file;
    const auto fail = [&](const char* step) {
        const std::error_code reason = system::last_error();
        system::remove_file(temporary);
        throw fs::filesystem_error(function + ": " + step + " failed", from_utf8(path), reason);
    };
    if (!create_temporary(target, file, temporary)) fail("creating a file");
    if (!file.write(bytes)) fail("writing");
    if (!file.finish()) fail("flushing");
    std::error_code ignored;  // a file system without permissions is no failure
    if (permissions != fs::perms::unknown) fs::permissions(from_utf8(temporary), permissions, ignored);
    if (!system::replace_file(temporary, to_utf8(target))) fail("renaming");
    // The rename has succeeded: a file system that cannot flush folders is no failure.
    const fs::path folder = target.parent_path();
    system::flush_folder(folder.empty() ? "." : to_utf8(folder));
}

}  // namespace rigcast
