#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace rigwright::network {

/// Allocator of memory aligned to cache lines.
template <class T>
struct LineAllocator {
    using value_type = T;
    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(64))); }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t(64)); }
    bool operator==(const LineAllocator&) const { return true; }
};

/// Constants of a model in the order in which its kernels read them, numbers of any type. Parts are known by their
/// offsets in bytes, which are whole cache lines.
class Packed {
public:
    static constexpr std::size_t line = 64;  // bytes in a cache line

    /// Room for `count` numbers, zero, and whole lines. Returns the offset of the first.
    template <class T = float>
    std::size_t append(std::size_t count) {
        const std::size_t offset = bytes_.size();
        bytes_.resize(offset + (count * sizeof(T) + line - 1) / line * line);
        return offset;
    }
    template <class T = float>
    T* at(std::size_t offset) {
        return reinterpret_cast<T*>(bytes_.data() + offset);
    }
    template <class T = float>
    const T* at(std::size_t offset) const {
        return reinterpret_cast<const T*>(bytes_.data() + offset);
    }
    std::size_t num_bytes() const { return bytes_.size(); }

private:
    std::vector<std::byte, LineAllocator<std::byte>> bytes_;
};

}  // namespace rigwright::network
