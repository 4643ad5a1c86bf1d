#pragma once
#include <cstddef>
#include <limits>
#include <memory>
#include <new>
#include <vector>

namespace rigcast {

/// Allocates memory that begins at a multiple of 64 bytes (a cache line, and the widest vector).
template <class T>
struct LineAllocator {
    static constexpr std::size_t alignment = 64;
    using value_type = T;

    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}
    T* allocate(std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(alignment)));
    }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t(alignment)); }
    bool operator==(const LineAllocator&) const { return true; }
};

/// A vector whose first element is aligned to a cache line.
template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

}  // namespace rigcast
