#include "rigcast/baseline/skin_gram.h"

#include "rigcast/core/parallel.h"
#include "rigcast/rig/skinning/rigid_assignment.h"

namespace rigcast::baseline {

SkinGram::SkinGram(View<const float, 2> rest_vertices, std::int64_t num_transforms)
    : num_transforms_(num_transforms), rest_(rest_vertices.begin(), rest_vertices.end()) {
    for (int axis = 0; axis < 3; ++axis) {
        double sum = 0.0;
        for (std::int64_t k = 0; k < num_vertices(); ++k) sum += rest_[3 * k + axis];
        center_[axis] = sum / static_cast<double>(num_vertices());
    }
    errors_.assign(static_cast<std::size_t>(num_vertices() * num_transforms), 0.0);
    distances_.assign(static_cast<std::size_t>(num_transforms * num_transforms * numbers_per_matrix), 0.0);
}

void SkinGram::add(View<double, 3> transforms, View<const float, 3> vertices, int threads) {
    const std::int64_t num_frames = transforms.extent(0);
    rig::add_rigid_errors(transforms, {rest_.data(), {num_vertices(), 3}}, vertices,
                          {errors_.data(), {num_vertices(), num_transforms_}}, threads);
    for (std::int64_t m = 0; m < transforms.size(); m += 4) {  // rows of 4: translations about the center
        double* row = transforms.data() + m;
        for (int axis = 0; axis < 3; ++axis) row[3] += row[axis] * center_[axis];
    }
    parallel_for(num_transforms_, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            for (std::int64_t j = i + 1; j < num_transforms_; ++j) {
                double* sum = distances_.data() + (i * num_transforms_ + j) * numbers_per_matrix;
                for (std::int64_t t = 0; t < num_frames; ++t) {
                    const double* a = transforms.row(t) + 12 * i;
                    const double* b = transforms.row(t) + 12 * j;
                    for (int row = 0; row < 12; row += 4) {
                        const double d[4] = {a[row] - b[row], a[row + 1] - b[row + 1], a[row + 2] - b[row + 2],
                                             a[row + 3] - b[row + 3]};
                        for (int p = 0, e = 0; p < 4; ++p) {
                            for (int q = p; q < 4; ++q) sum[e++] += d[p] * d[q];
                        }
                    }
                }
            }
        }
    });
}

void SkinGram::fill(std::int64_t vertex, double* gram) const {
    const double x = rest_[3 * vertex] - center_[0];
    const double y = rest_[3 * vertex + 1] - center_[1];
    const double z = rest_[3 * vertex + 2] - center_[2];
    const double products[numbers_per_matrix] = {x * x,     2 * x * y, 2 * x * z, 2 * x, y * y,
                                                 2 * y * z, 2 * y,     z * z,     2 * z, 1.0};
    const double* error = errors_.data() + vertex * num_transforms_;
    for (std::int64_t i = 0; i < num_transforms_; ++i) {
        gram[i * num_transforms_ + i] = error[i];
        for (std::int64_t j = i + 1; j < num_transforms_; ++j) {
            const double* n = distances_.data() + (i * num_transforms_ + j) * numbers_per_matrix;
            double distance = 0.0;  // v^T N v
            for (int e = 0; e < numbers_per_matrix; ++e) distance += products[e] * n[e];
            gram[i * num_transforms_ + j] = gram[j * num_transforms_ + i] = 0.5 * (error[i] + error[j] - distance);
        }
    }
}

}  // namespace rigcast::baseline
