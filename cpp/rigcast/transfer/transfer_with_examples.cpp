#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/transfer/deformation_transfer.h"

namespace rigcast::transfer {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr const char* name = "example_based";
/// Elements whose sides are in memory at a time: 25 MB for 256 shapes. More cost memory, fewer let threads wait for
/// each other more often. Chosen, not tuned. The resolution is summed per chunk: its rounding depends on this number.
constexpr std::int64_t elements_per_chunk = 2048;
constexpr int numbers_per_element = 6;  // two sides of three coordinates

double squared(const linalg::Vec3& a) {
    return dot(a, a);
}

/// The squared size of an element's sides.
double squared_sides(const mesh::Element& element, const double* points) {
    const auto& v = element.vertex;
    return squared(linalg::difference(points, v[1], v[0])) + squared(linalg::difference(points, v[2], v[0]));
}

/// The change of the sides of an element by offsets, relative to their size.
double relative_change(const mesh::Element& element, const double* source, const double* offset) {
    return std::sqrt(squared_sides(element, offset) / squared_sides(element, source));
}

}  // namespace

ExampleFit::ExampleFit(View<const double, 2> weights, double beta)
    : num_examples_(weights.extent(0)),
      num_shapes_(weights.extent(1)),
      weights_(weights.begin(), weights.end()),
      beta_(beta) {}

double ExampleFit::stiffness(double change) const {
    constexpr double kappa = 0.1;  // of Li et al. 2010, equation 7
    const double ratio = (1.0 + change) / (kappa + change);
    return beta_ * ratio * ratio;
}

/// Writes the lower triangular L (J, J) of L L^T = 1 + a S^-1 a^T.
void ExampleFit::factorize(const double* stiffness, std::vector<double>* matrix) const {
    const std::int64_t J = num_examples_;
    const std::int64_t K = num_shapes_;
    thread_local std::vector<double> scaled;  // a S^-1
    scaled.resize(J * K);
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) scaled[j * K + k] = weight(j, k) / stiffness[k];
    }
    matrix->assign(J * J, 0.0);
    for (std::int64_t i = 0; i < J; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) {
            double sum = i == j ? 1.0 : 0.0;
            for (std::int64_t k = 0; k < K; ++k) sum += weight(i, k) * scaled[j * K + k];
            (*matrix)[i * J + j] = sum;
        }
    }
    Eigen::Map<Matrix> entries(matrix->data(), J, J);
    Eigen::Ref<Matrix> in_place(entries);
    const Eigen::LLT<Eigen::Ref<Matrix>> factorized(in_place);
}

void ExampleFit::solve(const double* stiffness, int m, double* residual, double* columns) const {
    const std::int64_t J = num_examples_;
    const std::int64_t K = num_shapes_;
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) {
            const double a = weight(j, k);
            for (int c = 0; a != 0.0 && c < m; ++c) residual[j * m + c] -= a * columns[k * m + c];
        }
    }
    thread_local std::vector<double> matrix;
    factorize(stiffness, &matrix);
    const Eigen::Map<const Matrix> lower(matrix.data(), J, J);
    Eigen::Map<Matrix> solution(residual, J, m);
    lower.triangularView<Eigen::Lower>().solveInPlace(solution);
    lower.transpose().triangularView<Eigen::Upper>().solveInPlace(solution);
    for (std::int64_t j = 0; j < J; ++j) {
        for (std::int64_t k = 0; k < K; ++k) {
            const double a = weight(j, k) / stiffness[k];
            for (int c = 0; a != 0.0 && c < m; ++c) columns[k * m + c] += a * residual[j * m + c];
        }
    }
}

void ExampleFit::add_resolution(const double* stiffness, const double* weights, double* sums) const {
    const std::int64_t J = num_examples_;
    thread_local std::vector<double> matrix;
    thread_local Eigen::VectorXd column;
    factorize(stiffness, &matrix);
    const Eigen::Map<const Matrix> lower(matrix.data(), J, J);
    column.resize(J);
    for (std::int64_t k = 0; k < num_shapes_; ++k) {
        if (weights[k] == 0.0) continue;
        for (std::int64_t j = 0; j < J; ++j) column[j] = weight(j, k);
        lower.triangularView<Eigen::Lower>().solveInPlace(column);
        for (std::int64_t j = 0; j < J; ++j) sums[k] += weights[k] * column[j] * column[j] / stiffness[k];
    }
}

/// Writes the stiffness of the shapes (K) for an element; `offsets` (K, V, 3) are the placed source's, `typical` their
/// typical_change.
void DeformationTransfer::find_stiffness(const ExampleFit& fit, const mesh::Element& element, const double* offsets,
                                         double typical, double* stiffness) const {
    for (std::int64_t k = 0; k < fit.num_shapes(); ++k) {
        const double* offset = offsets + k * 3 * num_vertices();
        stiffness[k] = fit.stiffness(relative_change(element, source_.data(), offset) / typical);
    }
}

/// The typical relative change of an element's sides by the shapes.
double DeformationTransfer::typical_change(const double* offsets, std::int64_t num_shapes, int threads) const {
    std::vector<TypicalChange> of_shape(num_shapes);
    parallel_for(num_shapes, 1, threads, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t k = first; k < last; ++k) {
            const double* offset = offsets + k * 3 * num_vertices();
            for (const mesh::Element& element : elements_) {
                of_shape[k].add(relative_change(element, source_.data(), offset));
            }
        }
    });
    TypicalChange all;
    for (const TypicalChange& shape : of_shape) {
        all.sum += shape.sum;
        all.squares += shape.squares;
    }
    return all.value();
}

/// Fits all elements and adds their right-hand sides to sums (K, V, 3). `offsets` (K, V, 3) are the placed source's,
/// `targets` (J, V, 3) the examples'.
void DeformationTransfer::fit_elements(const ExampleFit& fit, const double* offsets, const double* targets,
                                       double* sums, int threads) const {
    const std::int64_t J = fit.num_examples();
    const std::int64_t K = fit.num_shapes();
    const std::int64_t size = 3 * num_vertices();
    const std::int64_t count = static_cast<std::int64_t>(elements_.size());
    const double typical = typical_change(offsets, K, threads);
    std::vector<double> columns(std::min(elements_per_chunk, count) * K * numbers_per_element);
    for (std::int64_t begin = 0; begin < count; begin += elements_per_chunk) {
        const std::int64_t in_chunk = std::min(elements_per_chunk, count - begin);
        parallel_for(in_chunk, 64, threads, [&](std::int64_t first, std::int64_t last) {
            std::vector<double> stiffness(K);
            std::vector<double> residual(J * numbers_per_element);
            for (std::int64_t e = first; e < last; ++e) {
                const mesh::Element& element = elements_[begin + e];
                double* changes = columns.data() + e * K * numbers_per_element;
                for (std::int64_t k = 0; k < K; ++k) {
                    const mesh::SideChange prior = mesh::side_change(element, source_.data(), offsets + k * size);
                    std::copy_n(prior.first.data(), 3, changes + numbers_per_element * k);
                    std::copy_n(prior.second.data(), 3, changes + numbers_per_element * k + 3);
                }
                find_stiffness(fit, element, offsets, typical, stiffness.data());
                for (std::int64_t j = 0; j < J; ++j) {
                    const double* target = targets + j * size;
                    const linalg::Vec3 a = linalg::difference(target, element.vertex[1], element.vertex[0]);
                    const linalg::Vec3 b = linalg::difference(target, element.vertex[2], element.vertex[0]);
                    std::copy_n(a.data(), 3, residual.data() + numbers_per_element * j);
                    std::copy_n(b.data(), 3, residual.data() + numbers_per_element * j + 3);
                }
                fit.solve(stiffness.data(), numbers_per_element, residual.data(), changes);
            }
        });
        parallel_for(K, 1, threads, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t k = first; k < last; ++k) {
                for (std::int64_t e = 0; e < in_chunk; ++e) {
                    const double* c = columns.data() + (e * K + k) * numbers_per_element;
                    mesh::add_to_sums(elements_[begin + e], {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}}, sums + k * size);
                }
            }
        });
    }
}

/// Checks the arguments that all fits of examples share. Returns the placed source's offsets (K, V, 3).
std::vector<double> DeformationTransfer::place_shapes(View<const float, 3> source_shapes,
                                                      View<const double, 2> example_weights, double beta,
                                                      int threads) const {
    const std::int64_t K = source_shapes.extent(0);
    const std::int64_t size = 3 * num_vertices();
    check_shape<const float, 3>(name, "source_shapes", source_shapes, {-1, num_vertices(), 3});
    check_shape<const double, 2>(name, "example_weights", example_weights, {-1, K});
    check_finite(name, "source_shapes", source_shapes);
    check_finite(name, "example_weights", example_weights);
    if (!(beta > 0.0) || !std::isfinite(beta)) {
        throw bad_argument(name, "beta", std::to_string(beta), "above 0 and finite");
    }
    std::vector<double> offsets(K * size);
    parallel_for(K, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) place_shape(source_shapes.row(k), offsets.data() + k * size);
    });
    return offsets;
}

void DeformationTransfer::transfer_with_examples(View<const float, 3> source_shapes, View<const float, 3> examples,
                                                 View<const double, 2> example_weights, double beta,
                                                 View<float, 3> target_shapes, int threads) const {
    const std::int64_t K = source_shapes.extent(0);
    const std::int64_t J = examples.extent(0);
    const std::int64_t size = 3 * num_vertices();
    check_shape<const float, 3>(name, "examples", examples, {-1, num_vertices(), 3});
    check_shape<const double, 2>(name, "example_weights", example_weights, {J, K});
    check_finite(name, "examples", examples);
    const std::vector<double> offsets = place_shapes(source_shapes, example_weights, beta, threads);
    check_shape<float, 3>(name, "target_shapes", target_shapes, {K, num_vertices(), 3});
    const ExampleFit fit(example_weights, beta);
    std::vector<double> moved(K * size, 0.0);
    std::vector<double> targets(J * size);
    for (std::int64_t i = 0; i < J * size; ++i) targets[i] = examples.data()[i] - target_[i % size];
    fit_elements(fit, offsets.data(), targets.data(), moved.data(), threads);
    solve_shapes(offsets.data(), moved.data(), K, threads);
    fit_places(fit, offsets.data(), targets.data(), moved.data());
    std::vector<double> resolved(K);
    if (contacts_) resolution(source_shapes, example_weights, beta, {resolved.data(), {K}}, threads);
    parallel_for(K, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t k = begin; k < end; ++k) {
            double* shape = moved.data() + k * size;
            if (contacts_ && resolved[k] < determined) {
                contacts_->correct(source_.data(), offsets.data() + k * size, target_.data(), shape);
            }
            write_shape(shape, target_shapes.row(k));
        }
    });
}

void DeformationTransfer::resolution(View<const float, 3> source_shapes, View<const double, 2> example_weights,
                                     double beta, View<double, 1> resolved, int threads) const {
    const std::int64_t K = source_shapes.extent(0);
    const std::int64_t size = 3 * num_vertices();
    const std::vector<double> offsets = place_shapes(source_shapes, example_weights, beta, threads);
    check_shape<double, 1>(name, "resolved", resolved, {K});
    const ExampleFit fit(example_weights, beta);
    const double typical = typical_change(offsets.data(), K, threads);
    const std::int64_t count = static_cast<std::int64_t>(elements_.size());
    const std::int64_t chunks = (count + elements_per_chunk - 1) / elements_per_chunk;
    std::vector<double> sums(chunks * K, 0.0);
    std::vector<double> alone(chunks * K, 0.0);  // the same for one example of the shape alone at weight 1
    parallel_for(chunks, 1, threads, [&](std::int64_t first, std::int64_t last) {
        std::vector<double> stiffness(K);
        std::vector<double> change(K);
        for (std::int64_t e = first * elements_per_chunk; e < std::min(last * elements_per_chunk, count); ++e) {
            const std::int64_t chunk = e / elements_per_chunk;
            find_stiffness(fit, elements_[e], offsets.data(), typical, stiffness.data());
            for (std::int64_t k = 0; k < K; ++k) {
                change[k] = squared_sides(elements_[e], offsets.data() + k * size);
                alone[chunk * K + k] += change[k] / (1.0 + stiffness[k]);
            }
            fit.add_resolution(stiffness.data(), change.data(), sums.data() + chunk * K);
        }
    });
    const std::vector<double> stiffness(K, fit.stiffness(1.0));
    const std::vector<double> one(K, 1.0);
    std::vector<double> translated(K, 0.0);
    fit.add_resolution(stiffness.data(), one.data(), translated.data());
    for (std::int64_t k = 0; k < K; ++k) {
        double sum = 0.0;
        double total = 0.0;
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
            sum += sums[chunk * K + k];
            total += alone[chunk * K + k];
        }
        // If no triangle changes, the shape only translates components.
        resolved.data()[k] = total > 0.0 ? sum / total : translated[k] * (1.0 + stiffness[k]);
    }
}

}  // namespace rigcast::transfer
