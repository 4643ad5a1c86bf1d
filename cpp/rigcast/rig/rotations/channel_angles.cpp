#include "rigcast/rig/rotations/channel_angles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "rigcast/core/check.h"
#include "rigcast/core/error.h"

namespace rigcast::rig {
namespace {

using Angles = std::array<double, 3>;

constexpr double degrees_per_radian = 180.0 / std::numbers::pi;
/// Gimbal lock: if the cosine of the middle angle (or its sine, if the outer axes are the same) is smaller, the outer
/// angles depend on the rounding of float32 poses; only their sum or difference is determined.
constexpr double gimbal_lock_cosine = 1e-6;
/// An angle exceeds a range if it does so by more than this: angles of float32 poses miss a bound by rounding.
constexpr double range_tolerance_degrees = 1e-3;

double at(const double* matrix, int row, int column) {
    return matrix[row * 3 + column];
}

double angle(double sine, double cosine) {
    return degrees_per_radian * std::atan2(sine, cosine);
}

/// The angle x plus whole turns that is nearest to `goal`.
double turned_near(double x, double goal) {
    return x - 360.0 * std::round((x - goal) / 360.0);
}

/// The range of one angle, in degrees.
struct Range {
    double low;
    double high;
    double middle() const { return 0.5 * low + 0.5 * high; }
    /// By how much x exceeds the range.
    double excess(double x) const { return std::max({0.0, low - x, x - high}); }
    /// Returns x plus whole turns: inside the range and nearest to `previous` if possible, else nearest to the middle.
    double wrap(double x, const double* previous) const {
        if (previous != nullptr) {
            double y = turned_near(x, *previous);
            if (y > high + range_tolerance_degrees)
                y -= 360.0 * std::ceil((y - high - range_tolerance_degrees) / 360.0);
            if (y < low - range_tolerance_degrees) y += 360.0 * std::ceil((low - range_tolerance_degrees - y) / 360.0);
            if (excess(y) <= range_tolerance_degrees) return y;
        }
        return turned_near(x, middle());
    }
};

/// The three angles of a rotation about axes i, j, k, where i != j and j != k.
class Solver {
public:
    Solver(std::array<int, 3> axes, std::array<Range, 3> ranges)
        : i_(axes[0]),
          j_(axes[1]),
          k_(axes[2] == axes[0] ? 3 - axes[0] - axes[1] : axes[2]),
          is_proper_(axes[2] == axes[0]),
          sign_((j_ - i_ + 3) % 3 == 1 ? 1.0 : -1.0),
          ranges_(ranges) {}

    Angles operator()(const double* matrix, const Angles* previous) const {
        Angles first = principal(matrix, previous);
        Angles second{first[0] + 180.0, is_proper_ ? -first[1] : 180.0 - first[1], first[2] + 180.0};
        wrap(first, previous);
        wrap(second, previous);
        const double gain = excess(first) - excess(second);
        if (std::abs(gain) > range_tolerance_degrees) return gain > 0.0 ? second : first;
        return distance(second, previous) < distance(first, previous) ? second : first;
    }

private:
    Angles principal(const double* m, const Angles* previous) const {
        double sine;
        double cosine;
        if (is_proper_) {
            sine = std::hypot(at(m, i_, j_), at(m, i_, k_));
            cosine = at(m, i_, i_);
        } else {
            sine = sign_ * at(m, i_, k_);
            cosine = std::hypot(at(m, i_, i_), at(m, i_, j_));
        }
        double first;
        if ((is_proper_ ? sine : cosine) <= gimbal_lock_cosine * std::hypot(sine, cosine)) {
            first = previous ? (*previous)[0] : std::clamp(free_first(m), ranges_[0].low, ranges_[0].high);
        } else if (is_proper_) {
            first = angle(at(m, j_, i_), -sign_ * at(m, k_, i_));
        } else {
            first = angle(-sign_ * at(m, j_, k_), at(m, k_, k_));
        }
        return {first, angle(sine, cosine), last(m, first)};
    }

    /// In gimbal lock: the first angle if the last one is zero.
    double free_first(const double* m) const {
        return ranges_[0].wrap(angle(sign_ * at(m, k_, j_), at(m, j_, j_)), nullptr);
    }

    /// The last angle, given the first one: row j of R_i(first)^-1 R depends on the last angle only.
    double last(const double* m, double first) const {
        const double c = std::cos(first / degrees_per_radian);
        const double s = sign_ * std::sin(first / degrees_per_radian);
        const auto row_j = [&](int column) { return c * at(m, j_, column) + s * at(m, k_, column); };
        return is_proper_ ? angle(-sign_ * row_j(k_), row_j(j_)) : angle(sign_ * row_j(i_), row_j(j_));
    }

    void wrap(Angles& angles, const Angles* previous) const {
        for (int n = 0; n < 3; ++n) angles[n] = ranges_[n].wrap(angles[n], previous ? &(*previous)[n] : nullptr);
    }
    double excess(const Angles& angles) const {
        double sum = 0.0;
        for (int n = 0; n < 3; ++n) sum += ranges_[n].excess(angles[n]);
        return sum;
    }
    static double distance(const Angles& angles, const Angles* previous) {
        double sum = 0.0;
        for (int n = 0; n < 3; ++n) sum += std::abs(angles[n] - (previous ? (*previous)[n] : 0.0));
        return sum;
    }

    int i_;
    int j_;
    int k_;
    bool is_proper_;  // proper Euler angles: the outer axes are the same
    double sign_;     // 1 if i, j, k is a cyclic permutation of x, y, z
    std::array<Range, 3> ranges_;
};

/// The angle about one axis of the rotation nearest to a matrix.
double single(const double* m, int i) {
    const int j = (i + 1) % 3;
    const int k = (i + 2) % 3;
    return angle(at(m, k, j) - at(m, j, k), at(m, j, j) + at(m, k, k));
}

void check(View<const double, 3> rotations, std::span<const int> axes, View<const double, 2> ranges,
           View<double, 2> angles) {
    if (!can_fit_angles(axes)) {
        std::string order;
        for (const int axis : axes) order += axis >= 0 && axis < 3 ? "XYZ"[axis] : '?';
        throw bad_argument("fit_angles", "order", "'" + order + "'", "one to three of X, Y, Z, neighbors different");
    }
    const std::int64_t count = static_cast<std::int64_t>(axes.size());
    check_shape<const double, 3>("fit_angles", "rotations", rotations, {-1, 3, 3});
    check_shape<const double, 2>("fit_angles", "ranges", ranges, {count, 2});
    check_shape<double, 2>("fit_angles", "angles", angles, {rotations.extent(0), count});
    check_finite("fit_angles", "rotations", rotations);
    check_finite("fit_angles", "ranges", ranges);
    for (std::int64_t n = 0; n < count; ++n) {
        if (ranges(n, 0) > ranges(n, 1)) {
            throw bad_argument("fit_angles", "ranges", "descending in row " + std::to_string(n), "low <= high");
        }
    }
}

}  // namespace

bool can_fit_angles(std::span<const int> axes) {
    if (axes.empty() || axes.size() > 3) return false;
    if (!std::all_of(axes.begin(), axes.end(), [](int axis) { return axis >= 0 && axis < 3; })) return false;
    return std::adjacent_find(axes.begin(), axes.end()) == axes.end();
}

void fit_angles(View<const double, 3> rotations, std::span<const int> axes, View<const double, 2> ranges,
                bool continuous, View<double, 2> angles) {
    check(rotations, axes, ranges, angles);
    const std::size_t count = axes.size();
    const auto range = [&](std::size_t n) { return Range{ranges(n, 0), ranges(n, 1)}; };
    if (count == 1) {
        for (std::int64_t t = 0; t < rotations.extent(0); ++t) {
            const double* previous = continuous && t > 0 ? angles.row(t - 1) : nullptr;
            angles(t, 0) = range(0).wrap(single(rotations.row(t), axes[0]), previous);
        }
        return;
    }
    const bool two = count == 2;
    const Solver solve({axes[0], two ? 3 - axes[0] - axes[1] : axes[1], axes[count - 1]},
                       {range(0), two ? Range{0.0, 0.0} : range(1), range(count - 1)});
    Angles found{};
    for (std::int64_t t = 0; t < rotations.extent(0); ++t) {
        found = solve(rotations.row(t), continuous && t > 0 ? &found : nullptr);
        angles(t, 0) = found[0];
        if (!two) angles(t, 1) = found[1];
        angles(t, static_cast<std::int64_t>(count) - 1) = found[2];
    }
}

void turn(double* matrix, int axis, double degrees) {
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    const double c = std::cos(degrees / degrees_per_radian);
    const double s = std::sin(degrees / degrees_per_radian);
    for (int row = 0; row < 3; ++row) {
        const double a = matrix[row * 3 + j];
        const double b = matrix[row * 3 + k];
        matrix[row * 3 + j] = c * a + s * b;
        matrix[row * 3 + k] = c * b - s * a;
    }
}

}  // namespace rigcast::rig
