#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigwright/linalg/sparse/sparse_cholesky.h"
#include "rigwright/mesh/gradients/elements.h"

namespace rigwright::mesh {

/// Collects the entries of a graph Laplacian of about so many elements. Rows are numbered from 0; -1 is a vertex that
/// does not move.
struct Laplacian {
    explicit Laplacian(std::size_t elements) {
        for (auto* indices : {&row, &column}) indices->reserve(12 * elements);
        value.reserve(12 * elements);
    }
    void add(std::int32_t i, std::int32_t j, double weight) {
        if (i >= 0) put(i, i, weight);
        if (j >= 0) put(j, j, weight);
        if (i < 0 || j < 0) return;
        put(i, j, -weight);
        put(j, i, -weight);
    }
    /// The three sides of an element; `index` (V) are the rows of vertices.
    void add(const Element& element, const std::vector<std::int32_t>& index) {
        const auto& v = element.vertex;
        add(index[v[1]], index[v[0]], element.weight[0]);
        add(index[v[2]], index[v[0]], element.weight[1]);
        add(index[v[2]], index[v[1]], element.weight[2]);
    }
    std::unique_ptr<const linalg::SparseCholesky> factor(std::int64_t size) const {
        return std::make_unique<linalg::SparseCholesky>(size, view(row), view(column), view(value));
    }

    std::vector<std::int32_t> row, column;
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

}  // namespace rigwright::mesh
