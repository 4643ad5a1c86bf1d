#pragma once
#include <cstddef>

#include "rigcast/core/aligned.h"

namespace rigcast::network {

/// The constants of a model in the order in which its kernels read them, in one array of arrays of any type. Each array
/// has an offset in bytes, a multiple of a cache line.
class Packed {
public:
    static constexpr std::size_t bytes_per_line = 64;  // of the cache

    /// Appends an array of `count` zeros, padded to whole cache lines. Returns its offset. Invalidates pointers of
    /// `at`.
    template <class T = float>
    std::size_t append(std::size_t count) {
        const std::size_t offset = bytes_.size();
        bytes_.resize(offset + (count * sizeof(T) + bytes_per_line - 1) / bytes_per_line * bytes_per_line);
        return offset;
    }
    /// The array at an offset.
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
    LineVector<std::byte> bytes_;
};

}  // namespace rigcast::network
