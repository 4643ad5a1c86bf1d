#pragma once
#include <cstddef>

#include "rigwright/core/aligned.h"

namespace rigwright::network {

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
    LineVector<std::byte> bytes_;
};

}  // namespace rigwright::network
