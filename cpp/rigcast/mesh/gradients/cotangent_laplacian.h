#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/linalg/sparse/sparse_cholesky.h"
#include "rigcast/mesh/gradients/elements.h"

namespace rigcast::mesh {

/// Assembles a weighted graph Laplacian from edges. Row indices start at 0; -1 stands for a fixed vertex, which has no
/// row and only adds to the diagonals of its neighbors.
struct Laplacian {
    /// Reserves memory for about so many elements.
    explicit Laplacian(std::size_t elements) {
        constexpr std::size_t entries_per_element = 12;  // four for each of three sides
        for (auto* indices : {&row, &column}) indices->reserve(entries_per_element * elements);
        value.reserve(entries_per_element * elements);
    }
    /// Adds an edge between rows i and j.
    void add(std::int32_t i, std::int32_t j, double weight) {
        if (i >= 0) put(i, i, weight);
        if (j >= 0) put(j, j, weight);
        if (i < 0 || j < 0) return;
        put(i, j, -weight);
        put(j, i, -weight);
    }
    /// Adds the three sides of an element with their cotangent weights; `index` (V) are the rows of vertices.
    void add(const Element& element, const std::vector<std::int32_t>& index) {
        const auto& v = element.vertex;
        add(index[v[1]], index[v[0]], element.weight[0]);
        add(index[v[2]], index[v[0]], element.weight[1]);
        add(index[v[2]], index[v[1]], element.weight[2]);
    }
    /// The Cholesky factorization of the (size, size) matrix. Throws what SparseCholesky throws.
    std::unique_ptr<const linalg::SparseCholesky> factorize(std::int64_t size) const {
        return std::make_unique<linalg::SparseCholesky>(size, view(row), view(column), view(value));
    }

    // The entries in coordinate format; repeated ones are summed.
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> column;
    std::vector<double> value;

private:
    template <class T>
    static View<const T, 1> view(const std::vector<T>& v) {
        return {v.data(), {static_cast<std::int64_t>(v.size())}};
    }
    void put(std::int32_t r, std::int32_t c, double x) {
        row.push_back(r);
        column.push_back(c);
        value.push_back(x);
    }
};

}  // namespace rigcast::mesh
