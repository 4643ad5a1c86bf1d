#include "rigcast/mesh/charts/charts.h"

#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "rigcast/core/check.h"
#include "rigcast/core/interruption.h"
#include "rigcast/linalg/vec3.h"
#include "rigcast/mesh/topology.h"

namespace rigcast::mesh {
namespace {

using linalg::Vec3;

constexpr int rounds = 20;
constexpr double worth_going_on = 0.999;  // a round that lowers the stretch to more than this share is the last
constexpr double flattest = 1e-9;         // of the square: triangles with less area have none
constexpr double smallest_weight = 1e-6, largest_weight = 1e6;

/// The weights of the neighbors of each copy.
using Weights = std::vector<std::map<std::int32_t, double>>;

/// tan(angle / 2) at corner k of a triangle.
double half_tangent(const Disk& disk, const Corners& triangle, int k) {
    const Vec3 a = linalg::difference(disk.points.data(), triangle[(k + 1) % 3], triangle[k]);
    const Vec3 b = linalg::difference(disk.points.data(), triangle[(k + 2) % 3], triangle[k]);
    const double below = linalg::length(a) * linalg::length(b) + linalg::dot(a, b);
    return below > 0.0 ? linalg::length(linalg::cross(a, b)) / below : largest_weight;
}

Weights mean_value_weights(const Disk& disk) {
    Weights weights(disk.vertex.size());
    double size = 0.0;
    for (const double x : disk.points) size = std::max(size, std::abs(x));
    for (const Corners& triangle : disk.triangles) {
        for (int k = 0; k < 3; ++k) {
            const double tangent = std::clamp(half_tangent(disk, triangle, k), smallest_weight, largest_weight);
            for (const int other : {(k + 1) % 3, (k + 2) % 3}) {
                const double distance =
                    linalg::length(linalg::difference(disk.points.data(), triangle[other], triangle[k]));
                weights[triangle[k]][triangle[other]] += tangent / std::max(distance, 1e-9 * size);
            }
        }
    }
    return weights;
}

/// The point of the border of the unit square at s in [0, 1) of its length.
std::pair<double, double> on_square(double s) {
    const double t = 4.0 * s;
    const int side = std::min(static_cast<int>(t), 3);
    const double along = t - side;
    switch (side) {
        case 0:
            return {along, 0.0};
        case 1:
            return {1.0, along};
        case 2:
            return {1.0 - along, 1.0};
        default:
            return {0.0, 1.0 - along};
    }
}

/// Coordinates (D, 2): those of the border, by length, and 0 elsewhere.
std::vector<double> border_coordinates(const Disk& disk) {
    std::vector<double> length = {0.0};
    for (std::size_t i = 0; i < disk.border.size(); ++i) {
        const std::int32_t next = disk.border[(i + 1) % disk.border.size()];
        length.push_back(length.back() + linalg::length(linalg::difference(disk.points.data(), next, disk.border[i])));
    }
    std::vector<double> uvs(2 * disk.vertex.size(), 0.0);
    for (std::size_t i = 0; i < disk.border.size(); ++i) {
        const auto [u, v] = on_square(length[i] / length.back());
        uvs[2 * disk.border[i]] = u;
        uvs[2 * disk.border[i] + 1] = v;
    }
    return uvs;
}

/// Solves for the inner copies: each is the mean of its neighbors by weight. Returns false without a solution.
bool solve(const Disk& disk, const Weights& weights, std::vector<double>* uvs) {
    std::vector<std::int32_t> row(disk.vertex.size(), 0);
    for (const std::int32_t v : disk.border) row[v] = -1;
    std::int32_t rows = 0;
    for (std::int32_t& r : row) r = r < 0 ? -1 : rows++;
    if (rows == 0) return true;
    std::vector<Eigen::Triplet<double>> entries;
    Eigen::MatrixXd right = Eigen::MatrixXd::Zero(rows, 2);
    for (std::size_t v = 0; v < weights.size(); ++v) {
        if (row[v] < 0) continue;
        double sum = 0.0;
        for (const auto& [other, weight] : weights[v]) sum += weight;
        entries.emplace_back(row[v], row[v], 1.0);
        for (const auto& [other, weight] : weights[v]) {
            if (row[other] >= 0) entries.emplace_back(row[v], row[other], -weight / sum);
            if (row[other] >= 0) continue;
            for (int axis = 0; axis < 2; ++axis) right(row[v], axis) += weight / sum * (*uvs)[2 * other + axis];
        }
    }
    Eigen::SparseMatrix<double> matrix(rows, rows);
    matrix.setFromTriplets(entries.begin(), entries.end());
    check_interruption();
    Eigen::SparseLU<Eigen::SparseMatrix<double>> factorization;
    factorization.analyzePattern(matrix);
    check_interruption();
    factorization.factorize(matrix);
    check_interruption();
    if (factorization.info() != Eigen::Success) return false;
    const Eigen::MatrixXd solved = factorization.solve(right);
    check_interruption();
    if (!solved.allFinite()) return false;
    for (std::size_t v = 0; v < row.size(); ++v) {
        if (row[v] < 0) continue;
        for (int axis = 0; axis < 2; ++axis) (*uvs)[2 * v + axis] = std::clamp(solved(row[v], axis), 0.0, 1.0);
    }
    return true;
}

/// A triangle's area in space, its area in the texture, and (a + c) / 2.
struct Stretched {
    double area = 0.0, texture = 0.0, square = 0.0;
};

/// The triangles that count: those on the border alone lie on one side of the square, perhaps.
std::vector<Corners> inner_triangles(const Disk& disk) {
    std::vector<bool> on_border(disk.vertex.size(), false);
    for (const std::int32_t v : disk.border) on_border[v] = true;
    std::vector<Corners> result;
    for (std::int64_t t = 0; t < disk.num_triangles; ++t) {
        const auto [a, b, c] = disk.triangles[t];
        if (!(on_border[a] && on_border[b] && on_border[c])) result.push_back(disk.triangles[t]);
    }
    return result;
}

Stretched stretched(const Disk& disk, const Corners& t, const std::vector<double>& uvs) {
    const Vec3 a = linalg::difference(disk.points.data(), t[1], t[0]);
    const Vec3 b = linalg::difference(disk.points.data(), t[2], t[0]);
    const double au = uvs[2 * t[1]] - uvs[2 * t[0]], av = uvs[2 * t[1] + 1] - uvs[2 * t[0] + 1];
    const double bu = uvs[2 * t[2]] - uvs[2 * t[0]], bv = uvs[2 * t[2] + 1] - uvs[2 * t[0] + 1];
    const double twice = au * bv - bu * av;
    Stretched result{0.5 * linalg::length(linalg::cross(a, b)), 0.5 * std::abs(twice), 0.0};
    if (result.texture < flattest) {
        result.square = result.area / flattest;
        return result;
    }
    const Vec3 along_u = (1.0 / twice) * (bv * a - av * b);
    const Vec3 along_v = (1.0 / twice) * (au * b - bu * a);
    result.square = 0.5 * (linalg::dot(along_u, along_u) + linalg::dot(along_v, along_v));
    return result;
}

/// The root mean square stretch around each copy; 0 where no triangle counts.
std::vector<double> stretch_at(const Disk& disk, const std::vector<double>& uvs) {
    std::vector<double> area(disk.vertex.size(), 0.0), sum(disk.vertex.size(), 0.0);
    for (const Corners& triangle : inner_triangles(disk)) {
        const Stretched of = stretched(disk, triangle, uvs);
        for (const std::int32_t v : triangle) {
            area[v] += of.area;
            sum[v] += of.area * of.square;
        }
    }
    for (std::size_t v = 0; v < area.size(); ++v) sum[v] = area[v] > 0.0 ? std::sqrt(sum[v] / area[v]) : 0.0;
    return sum;
}

/// Divides each weight by the stretch at the neighbor, where there is one.
void relax(const std::vector<double>& stretch, Weights* weights) {
    for (auto& neighbors : *weights) {
        for (auto& [other, weight] : neighbors) {
            if (stretch[other] > 0.0) weight /= stretch[other];
        }
    }
}

constexpr const char* chart_uvs_name = "chart_uvs";

/// Places the first copies of vertices that have no place yet; marks faces with corners at other copies.
void place(const Disk& disk, const std::vector<double>& layout, std::int32_t number, Charts* charts) {
    std::vector<bool> used(disk.vertex.size(), false);
    for (std::size_t d = 0; d < disk.vertex.size() && !layout.empty(); ++d) {
        const std::int32_t v = disk.vertex[d];
        if (v < 0 || charts->chart[v] >= 0) continue;
        used[d] = true;
        charts->chart[v] = number;
        for (int axis = 0; axis < 2; ++axis) charts->uvs[2 * v + axis] = layout[2 * d + axis];
    }
    for (std::int64_t t = 0; t < disk.num_triangles; ++t) {
        for (const std::int32_t d : disk.triangles[t]) {
            if (!used[d]) charts->whole[disk.faces[t]] = false;
        }
    }
}

}  // namespace

double stretch(const Disk& disk, const std::vector<double>& uvs) {
    double area = 0.0, texture = 0.0, sum = 0.0;
    for (const Corners& triangle : inner_triangles(disk)) {
        const Stretched of = stretched(disk, triangle, uvs);
        area += of.area;
        texture += of.texture;
        sum += of.area * of.square;
    }
    return area > 0.0 ? std::sqrt(sum / area) * std::sqrt(texture / area) : 0.0;
}

std::vector<double> minimum_stretch(const Disk& disk) {
    if (disk.border.size() < 3) return {};
    Weights weights = mean_value_weights(disk);
    std::vector<double> best = border_coordinates(disk);
    if (!std::all_of(best.begin(), best.end(), [](double x) { return std::isfinite(x); })) return {};
    if (!solve(disk, weights, &best)) return {};
    double least = stretch(disk, best);
    std::vector<double> uvs = best;
    for (int round = 0; round < rounds; ++round) {
        check_interruption();
        const std::vector<double> around = stretch_at(disk, uvs);
        check_interruption();
        relax(around, &weights);
        if (!solve(disk, weights, &uvs)) break;
        const double now = stretch(disk, uvs);
        const bool goes_on = now < worth_going_on * least;
        if (now < least) {
            least = now;
            best = uvs;
        }
        if (!goes_on) break;
    }
    return best;
}

Charts chart_uvs(View<const float, 2> points, View<const std::int32_t, 2> faces) {
    check_shape<const float, 2>(chart_uvs_name, "rest_vertices", points, {-1, 3});
    check_finite(chart_uvs_name, "rest_vertices", points);
    check_faces(chart_uvs_name, faces, points.extent(0));
    const auto count = static_cast<std::size_t>(points.extent(0));
    Charts charts{std::vector<double>(2 * count, 0.5),
                  std::vector<std::int32_t>(count, -1),
                  std::vector<bool>(faces.extent(0), true),
                  {}};
    for (const Disk& disk : cut_to_disks(points, faces)) {
        const std::vector<double> layout = minimum_stretch(disk);
        place(disk, layout, static_cast<std::int32_t>(charts.charts.size()), &charts);
        charts.charts.push_back({layout.empty() ? 0.0 : stretch(disk, layout), disk.num_cut, disk.num_holes});
    }
    return charts;
}

}  // namespace rigcast::mesh
