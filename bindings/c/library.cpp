#include <array>
#include <cctype>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "bindings/c/calls.h"
#include "rigcast/core/files/files.h"
#include "rigcast/core/instruction_set.h"
#include "rigcast/core/parallel.h"
#include "rigcast/version.h"

namespace rigcast::c {
namespace {

/// Without memory of the heap, of which there may be none left, and without a destructor, which would have to run when
/// a thread ends after the library was unloaded.
thread_local std::array<char, 2048> last_error{};

/// The name of a function without "rigcast_", which compilers may describe by all of its signature.
std::string_view short_name(std::string_view name) noexcept {
    name = name.substr(0, name.find('('));
    constexpr std::string_view prefix = "rigcast_";
    const std::size_t begin = name.rfind(prefix);
    return begin == std::string_view::npos ? name : name.substr(begin + prefix.size());
}

/// A sentence without the function that it begins with: what follows "evaluate: ".
const char* after_function(const char* sentence) noexcept {
    const char* end = sentence;
    while (std::isalnum(static_cast<unsigned char>(*end)) != 0 || *end == '_' || *end == '.') ++end;
    return end > sentence && end[0] == ':' && end[1] == ' ' ? end + 2 : sentence;
}

/// Keeps "FUNCTION: TEXT", cut between two characters of UTF-8 if it is too long, and returns the status.
rigcast_status kept(const char* called, const char* text, rigcast_status status) noexcept {
    const std::string_view function = short_name(called);
    char* const begin = last_error.data() + function.size() + 2;  // names of functions are short
    std::memcpy(last_error.data(), function.data(), function.size());
    std::memcpy(begin - 2, ": ", 2);
    const std::size_t room = last_error.size() - 1 - function.size() - 2;
    std::size_t length = std::min(std::strlen(text), room);
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
    std::memmove(begin, text, length);
    begin[length] = '\0';
    return status;
}

/// Threads of the host.
class HostScheduler final : public Scheduler {
public:
    using Run = void (*)(void* user, std::int32_t calls, void (*work)(void* data), void* data);
    HostScheduler(Run threads, void* user) : run_(threads), user_(user) {}

    void run(int calls, const std::function<void()>& work) override {
        const auto call = [](void* data) { (*static_cast<const std::function<void()>*>(data))(); };
        run_(user_, calls, call, const_cast<void*>(static_cast<const void*>(&work)));
    }

private:
    Run run_;
    void* user_;
};

}  // namespace

rigcast_status status_of_exception(const char* function) noexcept {
    try {
        throw;
    } catch (const BadHandle& error) {
        return kept(function, error.what(), RIGCAST_BAD_HANDLE);
    } catch (const Cancelled& error) {
        return kept(function, error.what(), RIGCAST_CANCELLED);
    } catch (const BadFile& error) {
        return kept(function, after_function(error.what()), RIGCAST_BAD_FILE);
    } catch (const FileError& error) {
        return kept(function, after_function(error.what()), RIGCAST_BAD_FILE);
    } catch (const ArgumentError& error) {
        return kept(function, after_function(error.what()), RIGCAST_BAD_ARGUMENT);
    } catch (const NumericalError& error) {
        return kept(function, after_function(error.what()), RIGCAST_NUMERICAL);
    } catch (const std::filesystem::filesystem_error& error) {
        return kept(function, error.what(), RIGCAST_BAD_FILE);
    } catch (const std::bad_alloc&) {
        return kept(function, "there is not enough memory", RIGCAST_NO_MEMORY);
    } catch (const std::length_error&) {  // more than any memory has
        return kept(function, "there is not enough memory", RIGCAST_NO_MEMORY);
    } catch (const std::exception& error) {
        return kept(function, error.what(), RIGCAST_FAILED);
    } catch (...) {
        return kept(function, "an unknown error", RIGCAST_FAILED);
    }
}

}  // namespace rigcast::c

int32_t rigcast_abi(void) {
    return RIGCAST_ABI;
}

const char* rigcast_version(void) {
    return RIGCAST_VERSION;
}

const char* rigcast_error(void) {
    return rigcast::c::last_error.data();
}

const char* rigcast_instruction_set(void) {
    const char* name = nullptr;
    rigcast::c::guarded([&] { name = rigcast::instruction_set().c_str(); });
    return name;
}

rigcast_status rigcast_set_scheduler(void (*run)(void*, int32_t, void (*)(void*), void*), void* user) {
    return rigcast::c::guarded([&] {
        // never destroyed: at the end of the process threads of the host may still compute
        static auto& scheduler = *new std::unique_ptr<rigcast::c::HostScheduler>;
        auto made = run == nullptr ? nullptr : std::make_unique<rigcast::c::HostScheduler>(run, user);
        rigcast::set_scheduler(made.get());
        scheduler = std::move(made);
    });
}
