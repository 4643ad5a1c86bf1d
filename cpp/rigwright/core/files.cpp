#include "rigwright/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "rigwright/core/error.h"

namespace rigwright {
namespace {

/// An open file, closed at the end.
class Handle {
public:
    explicit Handle(int number) : number_(number) {}
    ~Handle() {
        if (number_ >= 0) ::close(number_);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    explicit operator bool() const { return number_ >= 0; }
    int number() const { return number_; }
    bool close() {
        const int number = number_;
        number_ = -1;
        return ::close(number) == 0;
    }

private:
    int number_;
};

/// A new file beside `path`, under a name that no other thread or process has; `name` receives it.
Handle create_beside(const std::string& path, std::string& name) {
    static std::atomic<std::uint64_t> count{0};
    for (;;) {
        name = path + ".part." + std::to_string(::getpid()) + "." + std::to_string(count++);
        const int number = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (number >= 0 || errno != EEXIST) return Handle(number);
    }
}

bool write_all(const Handle& file, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t count = ::write(file.number(), bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

/// Makes a rename last. The new file is in its place already: where a file system cannot flush folders, nothing is
/// wrong with it.
void flush_folder(const std::string& path) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    const Handle handle(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle) ::fsync(handle.number());
}

}  // namespace

std::vector<std::byte> read_file(const std::string& function, const std::string& path) {
    const Handle file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // a pipe opens without its writer
    struct stat status {};
    if (!file || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
        throw bad_argument(function, path, "not a readable file", "a model file");
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ::ssize_t count = ::read(file.number(), bytes.data() + done, bytes.size() - done);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            throw bad_argument(function, path, "a file that could not be read to its end", "a readable file");
        }
        if (count > 0) done += static_cast<std::size_t>(count);
    }
    return bytes;
}

void write_file(const std::string& function, const std::string& path, std::span<const std::byte> bytes) {
    std::string part;
    Handle file = create_beside(path, part);
    const auto fail = [&](const std::string& what) {
        const std::string reason = std::strerror(errno);
        ::unlink(part.c_str());
        throw bad_argument(function, "path", "'" + path + "', where " + what + " failed (" + reason + ")", "writable");
    };
    if (!file) fail("creating a file");
    if (!write_all(file, bytes)) fail("writing");
    if (::fsync(file.number()) != 0 || !file.close()) fail("flushing");
    if (::rename(part.c_str(), path.c_str()) != 0) fail("renaming");
    flush_folder(path);
}

}  // namespace rigwright
