#include <cstddef>

// libc++abi prints the type of an exception that nobody catches, for which it brings 100 kB of code that reads C++
// names. No exception leaves this library. Compiled where that is linked in (release/zig.cmake).
extern "C" char* __cxa_demangle(const char*, char*, std::size_t*, int* status) {
    constexpr int not_a_name = -2;
    if (status != nullptr) *status = not_a_name;
    return nullptr;
}
