#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>

#include "bindings/c/calls.h"
#include "rigcast/core/instruction_set.h"
#include "rigcast/core/parallel.h"
#include "rigcast/version.h"

namespace rigcast::c {
namespace {

/// Without memory of the heap, of which there may be none left, and without a destructor, which would have to run when
/// a thread ends after the library was unloaded.
thread_local std::array<char, 2048> last_error{};

/// Keeps a text, cut between two characters of UTF-8 if it is too long.
void keep(const char* text) noexcept {
    std::size_t length = std::min(std::strlen(text), last_error.size() - 1);
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
    std::memcpy(last_error.data(), text, length);
    last_error[length] = '\0';
}

rigcast_status kept(const char* text, rigcast_status status) noexcept {
    keep(text);
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

rigcast_status status_of_exception() noexcept {
    try {
        throw;
    } catch (const BadHandle& error) {
        return kept(error.what(), RIGCAST_BAD_HANDLE);
    } catch (const BadFile& error) {
        return kept(error.what(), RIGCAST_BAD_FILE);
    } catch (const ArgumentError& error) {
        return kept(error.what(), RIGCAST_BAD_ARGUMENT);
    } catch (const NumericalError& error) {
        return kept(error.what(), RIGCAST_NUMERICAL);
    } catch (const std::filesystem::filesystem_error& error) {
        return kept(error.what(), RIGCAST_BAD_FILE);
    } catch (const std::bad_alloc&) {
        return kept("there is not enough memory", RIGCAST_NO_MEMORY);
    } catch (const std::length_error&) {  // more than any memory has
        return kept("there is not enough memory", RIGCAST_NO_MEMORY);
    } catch (const std::exception& error) {
        return kept(error.what(), RIGCAST_FAILED);
    } catch (...) {
        return kept("an unknown error", RIGCAST_FAILED);
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
