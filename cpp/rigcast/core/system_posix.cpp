#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <thread>

#include "rigcast/core/system.h"
#ifdef __linux__
#include <sched.h>
#include <sys/mman.h>
#endif

namespace rigcast::system {
namespace {

/// A file descriptor, closed on destruction.
struct Descriptor {
    explicit Descriptor(int opened) : number(opened) {}
    ~Descriptor() {
        if (number >= 0) ::close(number);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number;
};

}  // namespace

int num_processors() {
#ifdef __linux__
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::int64_t process_id() {
    return ::getpid();
}

void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef __linux__
    ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
}

ReadResult read_regular_file(const std::string& path, std::vector<std::byte>& bytes) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));  // a pipe opens without its writer
    struct stat status {};
    if (file.number < 0 || ::fstat(file.number, &status) != 0 || !S_ISREG(status.st_mode)) {
        return ReadResult::not_a_file;
    }
    bytes.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ::ssize_t count = ::read(file.number, bytes.data() + done, bytes.size() - done);
        if (count == 0 || (count < 0 && errno != EINTR)) return ReadResult::cut_short;
        if (count > 0) done += static_cast<std::size_t>(count);
    }
    return ReadResult::complete;
}

NewFile::~NewFile() {
    if (handle_ >= 0) ::close(static_cast<int>(handle_));
}

NewFile::Opened NewFile::create(const std::string& path) {
    handle_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (handle_ >= 0) return Opened::yes;
    return errno == EEXIST ? Opened::exists : Opened::failed;
}

bool NewFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ::ssize_t count = ::write(static_cast<int>(handle_), bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    return true;
}

bool NewFile::finish() {
    if (::fsync(static_cast<int>(handle_)) != 0) return false;
    const int number = static_cast<int>(handle_);
    handle_ = -1;
    return ::close(number) == 0;
}

bool replace_file(const std::string& from, const std::string& to) {
    return ::rename(from.c_str(), to.c_str()) == 0;
}

void remove_file(const std::string& path) {
    ::unlink(path.c_str());
}

void flush_folder(const std::string& folder) {
    const Descriptor handle(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle.number >= 0) ::fsync(handle.number);
}

std::error_code last_error() {
    return {errno, std::generic_category()};
}

}  // namespace rigcast::system
