#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "core/view.h"

namespace rigwright::inverse {

/// Memory that begins at a cache line: vectors of 64 bytes then never straddle two.
template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t line{64};

    LineAllocator() = default;
    template <class U>
    explicit LineAllocator(const LineAllocator<U>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
    void deallocate(T* data, std::size_t) { ::operator delete(data, line); }
    bool operator==(const LineAllocator&) const { return true; }
};
using AlignedDoubles = std::vector<double, LineAllocator<double>>;

/// The Gram matrix Phi^T Omega Phi of a rig's N columns, symmetric; each row begins at a cache line and is filled up
/// with zeros to whole lines.
class GramMatrix {
public:
    /// Copies (N, N).
    explicit GramMatrix(View<const double, 2> matrix)
        : size_(matrix.extent(0)), width_((size_ + 7) / 8 * 8), rows_(size_ * width_, 0.0) {
        for (std::int64_t i = 0; i < size_; ++i) std::copy_n(matrix.row(i), size_, rows_.data() + i * width_);
    }

    std::int64_t size() const { return size_; }
    /// Numbers of a row, zeros included.
    std::int64_t width() const { return width_; }
    const double* row(std::int64_t i) const { return rows_.data() + i * width_; }
    /// (N, width()): with the zeros.
    View<const double, 2> padded() const { return {rows_.data(), {size_, width_}}; }
    double operator()(std::int64_t i, std::int64_t j) const { return row(i)[j]; }

private:
    std::int64_t size_, width_;
    AlignedDoubles rows_;
};

}  // namespace rigwright::inverse
