#include "rigcast/rig/mechanism/chain_solver.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rigcast/core/error.h"
#include "rigcast/rig/rotations/rotations.h"

namespace rigcast::rig {
namespace {

constexpr double largest_step = std::numbers::pi / 4.0;  // radians per iteration
constexpr double gain = 0.8;                             // of a step; below 1 against oscillation
constexpr double negligible = 1e-10;                     // singular values
constexpr int fewest_iterations = 12;
constexpr double length_norm = 100.0;  // what a change of length counts as, relative to the chain
constexpr double shortest = 1e-3;      // length of a link that is compressed, in scene units

/// One of the numbers that move a chain.
struct Freedom {
    std::size_t link;
    int axis;  // 0, 1, 2: rotation; 3: length
    double weight;
};

/// The angle of a rotation about one of its axes, as its Euler angles have it; about y, its twist.
double angle_about(const Matrix3& m, int axis) {
    if (axis == 1) return std::atan2(m[2] - m[6], m[0] + m[8]);
    const double cosine = std::hypot(m[0], m[1]);
    if (axis == 0) return cosine > 1e-9 ? -std::atan2(m[5], m[8]) : -std::atan2(-m[7], m[4]);
    return cosine > 1e-9 ? -std::atan2(m[1], m[0]) : 0.0;
}

/// Rows: right, up and backwards of a view along `direction`.
Matrix3 view_along(const Vec3& direction, const Vec3& up) {
    const Vec3 x = unit(cross(direction, up));
    const Vec3 y = cross(x, direction);
    return {x[0], x[1], x[2], y[0], y[1], y[2], -direction[0], -direction[1], -direction[2]};
}

class ChainSolver {
public:
    ChainSolver(std::vector<ChainLink>& links, const ChainTarget& target) : links_(links), goal_(target.goal) {
        double total = 0.0;
        for (const ChainLink& link : links_) total += link.length;
        scale_ = total > 0.0 ? 1.0 / total : 1.0;
        int segments = 0;
        for (std::size_t i = 0; i < links_.size(); ++i) segments += add_link(i);
        reach_ = scale_ * total / (2.0 * segments);
        rescale(scale_);
        place();
        if (target.has_pole) face(target);
    }

    void run(const ChainPrecision& precision) {
        steps_.resize(freedoms_.size());
        columns_.resize(freedoms_.size());
        part_.resize(freedoms_.size());
        for (int i = 0; i < precision.max_iterations; ++i) {
            place();
            step();
            double change = 0.0;
            for (std::size_t k = 0; k < freedoms_.size(); ++k) {
                move(freedoms_[k], steps_[k]);
                change = std::max(change, std::abs(steps_[k]) * (freedoms_[k].axis == 3 ? length_norm : 1.0));
            }
            turn_balls();
            if (change < precision.change && i + 1 >= fewest_iterations) break;
        }
        ChainLink& root = links_.front();
        root.basis = transpose(root.rest) * facing_ * root.rest * root.basis;
        rescale(1.0 / scale_);
    }

private:
    /// The link's freedoms; returns the number of segments it counts as.
    int add_link(std::size_t i) {
        ChainLink& link = links_[i];
        const auto count = std::count(link.turns.begin(), link.turns.end(), true);
        if (count == 2) throw bad_argument("chain", "a link", "one that turns about two axes", "one of 0, 1 or 3");
        for (int axis = 0; axis < 3; ++axis) {
            if (!link.turns[axis]) continue;
            freedoms_.push_back({i, axis, link.weights[axis]});
            if (count == 1) {
                angles_.push_back(angle_about(link.basis, axis));
                link.basis = axis_rotation(axis, angles_.back());
            }
        }
        if (count != 1) angles_.push_back(0.0);
        balls_.push_back({0, 0, 0});
        if (link.stretches) freedoms_.push_back({i, 3, link.stretch_weight});
        return link.stretches ? 2 : 1;
    }

    void rescale(double factor) {
        for (ChainLink& link : links_) {
            link.start = factor * link.start;
            link.length *= factor;
            link.stretch *= factor;
        }
        goal_ = factor * goal_;
    }

    /// Positions and orientations of the links as they are.
    void place() {
        starts_.resize(links_.size());
        turned_.resize(links_.size());
        Matrix3 orientation = facing_;
        Vec3 position{0, 0, 0};
        for (std::size_t i = 0; i < links_.size(); ++i) {
            const ChainLink& link = links_[i];
            starts_[i] = position + orientation * link.start;
            orientation = turned_[i] = orientation * link.rest * link.basis;
            position = starts_[i] + (link.length + link.stretch) * orientation.column(1);
        }
        end_ = position;
    }

    /// Turns the whole chain so that its root faces the pole.
    void face(const ChainTarget& target) {
        const Vec3 root = starts_.front();
        const Matrix3& basis = turned_.front();
        const Vec3 up = std::cos(target.pole_angle) * basis.column(0) + std::sin(target.pole_angle) * basis.column(2);
        const Matrix3 now = view_along(unit(end_ - root), up);
        const Matrix3 then = view_along(unit(goal_ - root), unit(scale_ * target.pole - root));
        facing_ = transpose(then) * now;
    }

    /// Writes the changes of all freedoms.
    void step() {
        Vec3 wanted = goal_ - end_;
        if (const double distance = length(wanted); distance > reach_) wanted = (reach_ / distance) * wanted;
        for (std::size_t k = 0; k < freedoms_.size(); ++k) {
            const Freedom& f = freedoms_[k];
            const Vec3 axis = turned_[f.link].column(f.axis == 3 ? 1 : f.axis);
            const Vec3 effect = f.axis == 3 ? axis : cross(starts_[f.link] - end_, axis);
            columns_[k] = std::sqrt(f.weight) * effect;
        }
        norms_.clear();
        for (const Vec3& column : columns_) norms_.push_back(length(column));
        const std::array<Vec3, 3> sides = decompose();
        std::fill(steps_.begin(), steps_.end(), 0.0);
        for (int i = 0; i < 3; ++i) add_part(i, sides[i], wanted);
        double largest = 0.0;
        for (std::size_t k = 0; k < freedoms_.size(); ++k) {
            steps_[k] *= freedoms_[k].weight;
            largest = std::max(largest, std::abs(steps_[k]));
        }
        if (largest <= largest_step) return;
        for (double& s : steps_) s *= largest_step / (largest_step + largest);
    }

    /// The singular value decomposition of the effects (3, n), by one-sided Jacobi rotations: afterwards row i of the
    /// effects is the singular value times the right singular vector of the left one that is returned.
    std::array<Vec3, 3> decompose() {
        std::array<Vec3, 3> sides{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
        for (int sweep = 0; sweep < 30; ++sweep) {
            bool rotated = false;
            for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
                double a = 0.0, b = 0.0, g = 0.0;
                for (const Vec3& v : columns_) a += v[p] * v[p], b += v[q] * v[q], g += v[p] * v[q];
                if (std::abs(g) <= 1e-15 * std::sqrt(a * b)) continue;
                rotated = true;
                const double zeta = (b - a) / (2.0 * g);
                const double t = (zeta < 0.0 ? -1.0 : 1.0) / (std::abs(zeta) + std::hypot(1.0, zeta));
                const double c = 1.0 / std::hypot(1.0, t);
                const double s = c * t;
                for (Vec3& v : columns_) {
                    const double old = v[p];
                    v[p] = c * old - s * v[q];
                    v[q] = s * old + c * v[q];
                }
                const Vec3 old = sides[p];
                sides[p] = c * old - s * sides[q];
                sides[q] = s * old + c * sides[q];
            }
            if (!rotated) break;
        }
        return sides;
    }

    /// Adds the damped change along one singular vector.
    void add_part(int i, const Vec3& side, const Vec3& wanted) {
        double singular = 0.0;
        for (const Vec3& v : columns_) singular += v[i] * v[i];
        singular = std::sqrt(singular);
        if (singular <= negligible) return;
        const double alpha = dot(side, wanted) / singular;
        double moved = 0.0, largest = 0.0;
        for (std::size_t k = 0; k < freedoms_.size(); ++k) {
            const double v = columns_[k][i] / singular;
            moved += std::abs(v) * norms_[k];
            part_[k] = v * alpha;
            largest = std::max(largest, std::abs(part_[k]) * std::sqrt(freedoms_[k].weight));
        }
        moved /= singular;
        const double allowed = moved > 1.0 ? largest_step / moved : largest_step;
        const double damping = allowed < largest ? allowed / largest : 1.0;
        for (std::size_t k = 0; k < freedoms_.size(); ++k) {
            steps_[k] += gain * std::min(damping / freedoms_[k].weight, 1.0) * part_[k];
        }
    }

    void move(const Freedom& f, double change) {
        ChainLink& link = links_[f.link];
        if (f.axis == 3) {
            link.stretch = std::max(link.stretch + change, scale_ * shortest - link.length);
        } else if (link.turns[0] && link.turns[1]) {
            balls_[f.link][f.axis] = change;
        } else {
            angles_[f.link] += change;
            link.basis = axis_rotation(f.axis, angles_[f.link]);
        }
    }

    void turn_balls() {
        for (std::size_t i = 0; i < links_.size(); ++i) {
            const double angle = length(balls_[i]);
            if (angle > 0.0) links_[i].basis = links_[i].basis * rotation_about((1.0 / angle) * balls_[i], angle);
        }
    }

    std::vector<ChainLink>& links_;
    Vec3 goal_;
    Vec3 end_{0, 0, 0};
    double scale_ = 1.0;
    double reach_ = 0.0;                    // of one step towards the goal
    Matrix3 facing_ = Matrix3::identity();  // of the whole chain
    std::vector<Freedom> freedoms_;
    std::vector<double> angles_;  // per link; of those that turn about one axis
    std::vector<Vec3> balls_;     // per link: the change of those that turn about all
    std::vector<Vec3> starts_;
    std::vector<Matrix3> turned_;
    std::vector<Vec3> columns_;  // effects on the end; later rows of the decomposition
    std::vector<double> norms_;
    std::vector<double> steps_;
    std::vector<double> part_;
};

}  // namespace

void solve_chain(std::vector<ChainLink>& links, const ChainTarget& target, const ChainPrecision& precision) {
    if (!links.empty()) ChainSolver(links, target).run(precision);
}

}  // namespace rigcast::rig
