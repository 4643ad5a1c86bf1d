#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::baseline {

/// For each vertex k the Gram matrix over J transforms S of which its weights w, of sum 1, are the least squares
/// solution: sum_t |sum_j w_j S_tj v_k^0 - v_tk|^2 = w^T D_k w with
///   D_k,ij = (E_ki + E_kj - v_k^0T N_ij v_k^0) / 2,   E_kj = sum_t |S_tj v_k^0 - v_tk|^2,
///   N_ij = sum_t (S_ti - S_tj)^T (S_ti - S_tj)      (v_k^0 with a 1 appended).
/// Only the sums E and N are stored, so that any number of examples can be added in batches.
class SkinGram {
public:
    SkinGram(View<const float, 2> rest_vertices, std::int64_t num_transforms);

    /// Adds T examples: transforms (T, J, 12), which are overwritten, and vertices (T, V, 3), all finite.
    void add(View<double, 3> transforms, View<const float, 3> vertices, int threads);
    /// Writes D_k (J, J).
    void fill(std::int64_t vertex, double* gram) const;

    std::int64_t num_vertices() const { return static_cast<std::int64_t>(rest_.size() / 3); }

private:
    static constexpr int numbers_per_matrix = 10;  // of a symmetric 4 x 4 matrix

    std::int64_t num_transforms_;
    std::vector<float> rest_;
    double center_[3] = {};          // of the rest vertices: N is taken about it, against cancellation
    std::vector<double> errors_;     // E (V, J)
    std::vector<double> distances_;  // N (J, J, 10), i < j
};

}  // namespace rigcast::baseline
