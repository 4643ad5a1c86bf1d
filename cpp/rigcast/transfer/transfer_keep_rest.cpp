#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/mesh/gradients/cotangent_laplacian.h"
#include "rigcast/transfer/deformation_transfer.h"

namespace rigcast::transfer {
namespace {

/// Returns true if an element has a vertex that moves.
bool touches(const mesh::Element& element, const std::vector<char>& moves) {
    return moves[element.vertex[0]] || moves[element.vertex[1]] || moves[element.vertex[2]];
}

}  // namespace

/// Writes the offsets (V, 3) of the target for one shape, given the placed source's offsets (V, 3), exactly 0 at rest.
void DeformationTransfer::solve_moving(const double* offset, double* moved) const {
    std::vector<char> moves(num_vertices(), 0);
    std::vector<char> has_rest(components_.count, 0);  // (components) a vertex that does not move
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        const double* d = offset + 3 * v;
        moves[v] = !is_fixed_[v] && (d[0] != 0.0 || d[1] != 0.0 || d[2] != 0.0);
        has_rest[components_.of[v]] |= !moves[v];
    }
    std::vector<char> is_grounded = has_rest;
    std::vector<std::int32_t> row(num_vertices(), -1);
    std::int32_t count = 0;
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        if (!moves[v]) continue;
        char& grounded = is_grounded[components_.of[v]];
        if (grounded) row[v] = count++;
        grounded = 1;  // if no vertex rests, the first one does; place_components then moves the component
    }
    std::fill_n(moved, 3 * num_vertices(), 0.0);
    std::vector<const mesh::Element*> touched;
    for (const mesh::Element& element : elements_) {
        if (touches(element, moves)) touched.push_back(&element);
    }
    mesh::Laplacian laplacian(touched.size());
    std::vector<double> sums(3 * num_vertices(), 0.0);
    std::vector<double> rhs(3 * static_cast<std::size_t>(count));
    for (const mesh::Element* element : touched) {
        laplacian.add(*element, row);
        mesh::add_to_sums(*element, mesh::side_change(*element, source_.data(), offset), sums.data());
    }
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        if (row[v] >= 0) std::copy_n(sums.data() + 3 * v, 3, rhs.data() + 3 * row[v]);
    }
    if (count > 0) {
        const View<double, 2> system(rhs.data(), {count, 3});
        laplacian.factorize(count)->solve(system, system, 1);
    }
    for (std::int64_t v = 0; v < num_vertices(); ++v) {
        if (row[v] >= 0) std::copy_n(rhs.data() + 3 * row[v], 3, moved + 3 * v);
    }
    place_components(offset, has_rest, moved);
}

void DeformationTransfer::transfer_keep_rest(View<const float, 3> source_shapes, View<float, 3> target_shapes,
                                             int threads) const {
    constexpr const char* name = "DeformationTransfer.transfer_keep_rest";
    const std::int64_t count = source_shapes.extent(0);
    const std::int64_t size = 3 * num_vertices();
    check_shape<const float, 3>(name, "source_shapes", source_shapes, {-1, num_vertices(), 3});
    check_shape<float, 3>(name, "target_shapes", target_shapes, {count, num_vertices(), 3});
    check_finite(name, "source_shapes", source_shapes);
    float largest = 0.0f;
    for (const float x : source_neutral_) largest = std::max(largest, std::fabs(x));
    const float float32_step = std::numeric_limits<float>::epsilon() * largest;
    parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        std::vector<double> offset(size);
        std::vector<double> moved(size);
        for (std::int64_t s = begin; s < end; ++s) {
            const float* shape = source_shapes.row(s);
            place_shape(shape, offset.data());
            for (std::int64_t v = 0; v < num_vertices(); ++v) {
                const bool rests = std::equal(shape + 3 * v, shape + 3 * v + 3, source_neutral_.data() + 3 * v,
                                              [&](float a, float b) { return std::fabs(a - b) <= float32_step; });
                if (rests) std::fill_n(offset.data() + 3 * v, 3, 0.0);
            }
            solve_moving(offset.data(), moved.data());
            if (contacts_) contacts_->correct(source_.data(), offset.data(), target_.data(), moved.data());
            write_shape(moved.data(), target_shapes.row(s));
        }
    });
}

}  // namespace rigcast::transfer
