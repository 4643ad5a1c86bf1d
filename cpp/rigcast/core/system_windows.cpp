// UNTESTED: written against the Windows API documentation; nobody has compiled or run it yet.
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <system_error>

#include "rigcast/core/system.h"

namespace rigcast::system {
namespace {

constexpr std::size_t bytes_per_call = std::size_t{1} << 30;  // ReadFile and WriteFile have 32-bit sizes

/// Paths are UTF-8, as everywhere in the library.
std::wstring wide(const std::string& path) {
    return std::filesystem::path(reinterpret_cast<const char8_t*>(path.c_str())).wstring();
}

HANDLE as_handle(std::intptr_t handle) {
    return reinterpret_cast<HANDLE>(handle);
}

/// A handle, closed on destruction.
struct Handle {
    explicit Handle(HANDLE value) : value(value) {}
    ~Handle() {
        if (value != INVALID_HANDLE_VALUE) ::CloseHandle(value);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    HANDLE value;
};

}  // namespace

int num_processors() {
    DWORD_PTR process = 0;
    DWORD_PTR machine = 0;
    if (::GetProcessAffinityMask(::GetCurrentProcess(), &process, &machine) != 0 && process != 0) {
        return std::popcount(static_cast<std::uint64_t>(process));
    }
    return static_cast<int>(std::max<DWORD>(1, ::GetActiveProcessorCount(ALL_PROCESSOR_GROUPS)));
}

std::int64_t process_id() {
    return ::GetCurrentProcessId();
}

/// Large pages need a privilege on Windows: does nothing.
void advise_huge_pages(void*, std::size_t) noexcept {}

ReadResult read_regular_file(const std::string& path, std::vector<std::byte>& bytes) {
    const Handle file(::CreateFileW(wide(path).c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr));
    LARGE_INTEGER size{};
    if (file.value == INVALID_HANDLE_VALUE || ::GetFileType(file.value) != FILE_TYPE_DISK ||
        ::GetFileSizeEx(file.value, &size) == 0) {
        return ReadResult::not_a_file;
    }
    bytes.resize(static_cast<std::size_t>(size.QuadPart));
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto wanted = static_cast<DWORD>(std::min(bytes.size() - done, bytes_per_call));
        DWORD count = 0;
        if (::ReadFile(file.value, bytes.data() + done, wanted, &count, nullptr) == 0 || count == 0) {
            return ReadResult::cut_short;
        }
        done += count;
    }
    return ReadResult::complete;
}

NewFile::~NewFile() {
    if (handle_ != -1) ::CloseHandle(as_handle(handle_));
}

NewFile::Opened NewFile::create(const std::string& path) {
    const HANDLE file = ::CreateFileW(wide(path).c_str(), GENERIC_WRITE, FILE_SHARE_DELETE, nullptr, CREATE_NEW,
                                      FILE_ATTRIBUTE_NORMAL, nullptr);
    handle_ = reinterpret_cast<std::intptr_t>(file);  // INVALID_HANDLE_VALUE is -1
    if (file != INVALID_HANDLE_VALUE) return Opened::yes;
    return ::GetLastError() == ERROR_FILE_EXISTS ? Opened::exists : Opened::failed;
}

bool NewFile::write(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const auto wanted = static_cast<DWORD>(std::min(bytes.size(), bytes_per_call));
        DWORD count = 0;
        if (::WriteFile(as_handle(handle_), bytes.data(), wanted, &count, nullptr) == 0) return false;
        bytes = bytes.subspan(count);
    }
    return true;
}

bool NewFile::finish() {
    if (::FlushFileBuffers(as_handle(handle_)) == 0) return false;
    const HANDLE file = as_handle(handle_);
    handle_ = -1;
    return ::CloseHandle(file) != 0;
}

bool replace_file(const std::string& from, const std::string& to) {
    return ::MoveFileExW(wide(from).c_str(), wide(to).c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
}

void remove_file(const std::string& path) {
    ::DeleteFileW(wide(path).c_str());
}

/// MOVEFILE_WRITE_THROUGH flushes the rename itself.
void flush_folder(const std::string&) {}

std::error_code last_error() {
    return {static_cast<int>(::GetLastError()), std::system_category()};
}

}  // namespace rigcast::system
