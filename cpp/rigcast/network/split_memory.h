#pragma once
#include <cstddef>

#include "rigcast/core/scratch.h"

namespace rigcast::network {

/// Splits working memory into arrays that begin at cache lines. Without memory (null) it only counts what they need.
class SplitMemory {
public:
    explicit SplitMemory(float* memory) : memory_(memory) {}

    /// The next `count` floats; null if there is no memory.
    float* take(std::size_t count) {
        float* const array = memory_ == nullptr ? nullptr : memory_ + used_;
        used_ += Scratch::padded(count);
        return array;
    }
    /// Floats taken so far, with padding.
    std::size_t used() const { return used_; }

private:
    float* memory_;
    std::size_t used_ = 0;
};

}  // namespace rigcast::network
