#pragma once
#include <cstddef>

#include "core/aligned.h"

namespace rigwright::network {

/// Constants of a model in the order in which its kernels read them. Parts are known by their offsets, which
/// are whole cache lines.
class Packed {
public:
    static constexpr std::size_t line = 16;  // floats in a cache line

    /// Room for `count` floats, zero, and whole lines; the offset of the first.
    std::size_t append(std::size_t count) {
        const std::size_t offset = floats_.size();
        floats_.resize(offset + (count + line - 1) / line * line);
        return offset;
    }
    float* at(std::size_t offset) { return floats_.data() + offset; }
    const float* at(std::size_t offset) const { return floats_.data() + offset; }

private:
    LineVector<float> floats_;
};

}  // namespace rigwright::network
