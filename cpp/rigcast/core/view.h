#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rigcast {

/// A non-owning, contiguous, row-major array: the one array type that crosses Python, C++ and CUDA. View<const T, R> is
/// read-only. Copying a view copies no elements. Indices are not checked.
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
        ((flat = flat * extents_[axis++] + static_cast<std::int64_t>(index)), ...);
        return data_[flat];
    }

    /// Pointer to the first element of row i along the first axis.
    constexpr T* row(std::int64_t i) const {
        std::int64_t stride = 1;
        for (int axis = 1; axis < Rank; ++axis) stride *= extents_[axis];
        return data_ + i * stride;
    }

private:
    T* data_ = nullptr;
    Extents extents_{};
};

}  // namespace rigcast
