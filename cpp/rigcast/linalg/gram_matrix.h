#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/core/view.h"

namespace rigcast::linalg {

/// The symmetric Gram matrix Phi^T Omega Phi of a rig's N columns, in double and in single precision. Each row starts
/// at a cache line and is padded with zeros to whole lines.
class GramMatrix {
public:
    /// Copies a matrix (N, N).
    explicit GramMatrix(View<const double, 2> matrix) : size_(matrix.extent(0)), rows_(matrix), single_(matrix) {}

    std::int64_t size() const { return size_; }
    /// Numbers per row, padding included.
    template <class Real = double>
    std::int64_t width() const {
        return rows<Real>().width;
    }
    template <class Real = double>
    const Real* row(std::int64_t i) const {
        return rows<Real>().numbers.data() + i * width<Real>();
    }
    /// The matrix with its padding, (N, width()).
    View<const double, 2> padded() const { return {rows_.numbers.data(), {size_, width()}}; }
    double operator()(std::int64_t i, std::int64_t j) const { return row(i)[j]; }

private:
    template <class Real>
    struct Rows {
        static constexpr std::int64_t numbers_per_line = 64 / sizeof(Real);  // of the cache

        explicit Rows(View<const double, 2> matrix)
            : width((matrix.extent(1) + numbers_per_line - 1) / numbers_per_line * numbers_per_line),
              numbers(matrix.extent(0) * width, Real{0}) {
            for (std::int64_t i = 0; i < matrix.extent(0); ++i) {
                std::transform(matrix.row(i), matrix.row(i) + matrix.extent(1), numbers.data() + i * width,
                               [](double entry) { return static_cast<Real>(entry); });
            }
        }

        std::int64_t width;
        LineVector<Real> numbers;
    };

    template <class Real>
    const Rows<Real>& rows() const {
        if constexpr (std::is_same_v<Real, double>) {
            return rows_;
        } else {
            return single_;
        }
    }

    std::int64_t size_;
    Rows<double> rows_;
    Rows<float> single_;
};

}  // namespace rigcast::linalg
