#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace rigcast {

/// True in builds with RIGCAST_CHECK_INDICES, for tests: views check their indices. Code on a GPU cannot throw.
#if defined(RIGCAST_CHECK_INDICES) && !defined(__CUDA_ARCH__)
inline constexpr bool checks_indices = true;
#else
inline constexpr bool checks_indices = false;
#endif

/// A non-owning, contiguous, row-major array: the one array type that crosses Python, C++ and CUDA. View<const T, R> is
/// read-only. Copying a view copies no elements. Indices are not checked, except where checks_indices is true: then
/// std::out_of_range names axis, index and extent.
template <class T, int Rank>
class View {
public:
    using Extents = std::array<std::int64_t, Rank>;

    constexpr View() = default;
    constexpr View(T* data, Extents extents) : data_(data), extents_(extents) {}
    /// A writable view converts to a read-only one.
    template <class U>
    requires std::is_same_v<T, const U>
    constexpr View(const View<U, Rank>& other) : data_(other.data()), extents_(other.extents()) {}

    constexpr T* data() const { return data_; }
    constexpr const Extents& extents() const { return extents_; }
    constexpr std::int64_t extent(int axis) const { return extents_[axis]; }
    constexpr std::int64_t size() const {
        std::int64_t count = 1;
        for (std::int64_t extent : extents_) count *= extent;
        return count;
    }
    constexpr T* begin() const { return data_; }
    constexpr T* end() const { return data_ + size(); }

    /// The element at (i, j, ...).
    template <class... Index>
    requires(sizeof...(Index) == Rank) constexpr T& operator()(Index... index) const {
        std::int64_t flat = 0;
        int axis = 0;
        if constexpr (checks_indices) {
            int checked = 0;
            (check(checked++, static_cast<std::int64_t>(index)), ...);
        }
        ((flat = flat * extents_[axis++] + static_cast<std::int64_t>(index)), ...);
        return data_[flat];
    }

    /// Pointer to the first element of row i along the first axis; i may be the number of rows, for the end.
    constexpr T* row(std::int64_t i) const {
        if constexpr (checks_indices) {
            if (i != extents_[0]) check(0, i);
        }
        std::int64_t stride = 1;
        for (int axis = 1; axis < Rank; ++axis) stride *= extents_[axis];
        return data_ + i * stride;
    }

private:
    constexpr void check(int axis, std::int64_t index) const {
        if (index >= 0 && index < extents_[axis]) return;
        throw std::out_of_range("index " + std::to_string(index) + " of axis " + std::to_string(axis) +
                                " is outside of the extent " + std::to_string(extents_[axis]));
    }

    T* data_ = nullptr;
    Extents extents_{};
};

}  // namespace rigcast
