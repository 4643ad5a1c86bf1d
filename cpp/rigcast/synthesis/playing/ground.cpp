#include "rigcast/synthesis/playing/ground.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rigcast/core/error.h"
#include "rigcast/linalg/dense_products.h"
#include "rigcast/synthesis/playing/shortest_paths.h"

namespace rigcast::synthesis {
namespace {

constexpr double farthest = 0.3;  // of the length scale: radius beyond which a process runs away from its points
constexpr double slowest = 0.35;  // of speed and radius, where the density is that of the least dense training point
constexpr double blur = 3e-3;     // of the variance: noise of the frames, at least, in the density
constexpr double met = 0.35;      // steps: the ball around a pose that idling meets
constexpr double ridge = 1e-9;    // of the variance, on the covariance of inducing points

double power_of(const double* a, const double* b, std::int64_t width, double power) {
    const double away = distance(a, b, width);
    return std::pow(away * away, 0.5 * power);
}

double kernel_of(const double* a, const double* b, const LatentSpace& latent) {
    const double away = distance(a, b, latent.dimension()) / latent.kernel().length;
    return latent.kernel().variance * std::exp(-0.5 * away * away);
}

std::vector<double> inverse_of(const std::vector<double>& matrix, std::int64_t size) {
    std::vector<double> result(matrix.size(), 0.0);
    for (std::int64_t i = 0; i < size; ++i) result[static_cast<std::size_t>((size + 1) * i)] = 1.0;
    linalg::solve_positive_definite({matrix.data(), {size, size}}, {result.data(), {size, size}}, 0);
    return result;
}

/// K_mm^-1 - (K_mm + K_mn Lambda^-1 K_nm)^-1, with Lambda = variance + noise - diag(K_nm K_mm^-1 K_mn).
DensityField sparse_density(const LatentSpace& latent) {
    const auto points = latent.points(), inducing = latent.inducing();
    const std::int64_t count = points.extent(0), few = inducing.extent(0);
    std::vector<double> own(static_cast<std::size_t>(few * few)), cross(static_cast<std::size_t>(few * count));
    for (std::int64_t i = 0; i < few; ++i) {
        for (std::int64_t j = 0; j < few; ++j) {
            own[static_cast<std::size_t>(few * i + j)] = kernel_of(inducing.row(i), inducing.row(j), latent);
        }
        own[static_cast<std::size_t>((few + 1) * i)] += ridge * latent.kernel().variance;
        for (std::int64_t n = 0; n < count; ++n) {
            cross[static_cast<std::size_t>(count * i + n)] = kernel_of(inducing.row(i), points.row(n), latent);
        }
    }
    std::vector<double> solved = cross, scaled(cross.size());
    linalg::solve_positive_definite({own.data(), {few, few}}, {solved.data(), {few, count}}, 0);
    for (std::int64_t n = 0; n < count; ++n) {
        double left = latent.kernel().variance + latent.kernel().noise;
        for (std::int64_t i = 0; i < few; ++i) {
            const auto place = static_cast<std::size_t>(count * i + n);
            left -= cross[place] * solved[place];
        }
        const double by = std::max(left, 1e-12 * latent.kernel().variance);
        for (std::int64_t i = 0; i < few; ++i) {
            scaled[static_cast<std::size_t>(few * n + i)] = cross[static_cast<std::size_t>(count * i + n)] / by;
        }
    }
    std::vector<double> posterior(own.size());
    linalg::multiply(View<const double, 2>(cross.data(), {few, count}),
                     View<const double, 2>(scaled.data(), {count, few}), View<double, 2>(posterior.data(), {few, few}),
                     0);
    for (std::size_t i = 0; i < own.size(); ++i) posterior[i] += own[i];
    std::vector<double> matrix = inverse_of(own, few);
    const std::vector<double> other = inverse_of(posterior, few);
    for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] -= other[i];
    return {inducing, {matrix.data(), {few, few}}, latent.kernel().variance, latent.kernel().length};
}

}  // namespace

DensityField density_of(const LatentSpace& latent) {
    if (latent.inducing().extent(0) > 0) return sparse_density(latent);
    const Kernel& kernel = latent.kernel();
    return {latent.points(), kernel.variance, kernel.length, std::max(kernel.noise, blur * kernel.variance),
            blur / 3.0};
}

Ground::Ground(std::shared_ptr<const LatentSpace> latent, const std::vector<std::array<std::int64_t, 2>>& ends,
               const PlaySettings& settings, std::int64_t rounding, std::size_t kept_bytes)
    : latent_(std::move(latent)),
      speed_(settings.speed),
      power_(settings.power),
      most_trees_(std::max<std::size_t>(kept_bytes / (static_cast<std::size_t>(latent_->points().extent(0)) *
                                                      (sizeof(double) + sizeof(std::int32_t))),
                                        1)),
      field_(density_of(*latent_)),
      rounding_(rounding_weights(rounding)) {
    const std::int64_t width = dimension(), count = points().extent(0);
    std::vector<double> moves;
    for (const auto& [begin, end] : ends) {
        if (begin < 0 || end > count) throw bad_argument("Ground", "ends", "beyond the points", "rows of them");
        for (std::int64_t i = begin + 1; i < end; ++i)
            moves.push_back(distance(points().row(i - 1), points().row(i), width));
    }
    double extent = 0.0;
    for (std::int64_t axis = 0; axis < width; ++axis) {
        double low = points()(0, axis), high = low;
        for (std::int64_t i = 0; i < count; ++i) {
            low = std::min(low, points()(i, axis));
            high = std::max(high, points()(i, axis));
        }
        extent += (high - low) * (high - low);
    }
    step_ = std::max({quantile(moves, 0.5), 1e-3 * std::sqrt(extent), 1e-9});
    ball_ = std::min(settings.radius * step_, farthest * latent_->kernel().length);
    Points near{width, {points().begin(), points().end()}};
    for (std::int64_t i = 0; i < count; ++i) near[i][i % width] += step_;
    const std::vector<double> found = density(near);
    least_ = quantile(found, settings.least);
    slow_ = quantile(found, std::max(settings.slow, settings.least));
    level_ = quantile(found, 0.5);
}

std::int64_t Ground::kept_paths() const {
    const std::lock_guard<std::mutex> guard(lock_);
    return std::ssize(trees_);
}

std::vector<double> Ground::density(const Points& x) const {
    std::vector<double> values(static_cast<std::size_t>(x.size())), slopes(x.numbers.size());
    field_.evaluate(x.view(), {values.data(), {x.size()}}, {slopes.data(), {x.size(), x.width}}, 1);
    return values;
}

std::int64_t Ground::nearest(const double* x) const {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < points().extent(0); ++i) {
        if (distance(points().row(i), x, dimension()) < distance(points().row(best), x, dimension())) best = i;
    }
    return best;
}

std::shared_ptr<const Ground::Tree> Ground::tree_to(const double* target) const {
    const std::int64_t index = nearest(target), count = points().extent(0);
    const bool at_point = std::equal(target, target + dimension(), points().row(index));
    if (at_point) {
        const std::lock_guard<std::mutex> guard(lock_);
        if (const auto found = trees_.find(index); found != trees_.end()) return found->second;
    }
    auto made = std::make_shared<Tree>();
    made->cost.resize(static_cast<std::size_t>(count));
    made->next.resize(static_cast<std::size_t>(count));
    shortest_paths(points(), {target, {dimension()}}, power_, {made->cost.data(), {count}},
                   {made->next.data(), {count}});
    if (at_point) {
        const std::lock_guard<std::mutex> guard(lock_);
        if (trees_.emplace(index, made).second) oldest_.push_back(index);
        while (trees_.size() > most_trees_) {
            trees_.erase(oldest_.front());
            oldest_.erase(oldest_.begin());
        }
    }
    return made;
}

Points Ground::along_data(const double* start, const double* target) const {
    const std::shared_ptr<const Tree> tree = tree_to(target);
    const std::int64_t width = dimension();
    std::int64_t first = 0;
    double least_cost = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < points().extent(0); ++i) {
        const double cost = power_of(points().row(i), start, width, power_) + tree->cost[static_cast<std::size_t>(i)];
        if (cost < least_cost) {
            least_cost = cost;
            first = i;
        }
    }
    Points nodes{width, {start, start + width}};
    if (power_of(target, start, width, power_) > least_cost) {
        for (std::int64_t i = first; i >= 0; i = tree->next[static_cast<std::size_t>(i)]) nodes.add(points().row(i));
    }
    nodes.add(target);
    return nodes;
}

Ground::Way Ground::way(const double* start, const double* target, bool straight) const {
    const std::int64_t width = dimension();
    const char* note = "";
    Points goal{width, {target, target + width}};
    if (density(goal).front() < least_) {
        const double* point = points().row(nearest(target));
        goal.numbers.assign(point, point + width);
        note = "target moved to the nearest training frame";
    }
    if (!straight) return {along_data(start, goal[0]), note};
    Points nodes{width, {start, start + width}};
    nodes.add(goal[0]);
    const Points rows = timed(nodes).rows;
    const std::vector<double> found = density(rows);
    for (std::int64_t i = 1; i + 1 < rows.size(); ++i) {
        if (found[static_cast<std::size_t>(i)] >= least_) continue;
        const Points around = along_data(rows[i - 1], goal[0]);
        Points turned{width, {start, start + width}};
        turned.numbers.insert(turned.numbers.end(), around.numbers.begin(), around.numbers.end());
        return {std::move(turned), *note != '\0' ? note : "turned back where the density falls below the data's"};
    }
    return {std::move(nodes), note};
}

Ground::Path Ground::plan(const double* start, const Points& targets, bool straight) const {
    Points nodes{dimension(), {start, start + dimension()}};
    const char* note = "";
    for (std::int64_t i = 0; i < targets.size(); ++i) {
        const std::vector<double> here(nodes[nodes.size() - 1], nodes[nodes.size()]);
        const Way next = way(here.data(), targets[i], straight);
        nodes.numbers.insert(nodes.numbers.end(), next.nodes[1], next.nodes[next.nodes.size()]);
        if (*note == '\0') note = next.note;
    }
    TimedPath path = timed(nodes);
    for (double& ease : path.eases) ease *= ball_;
    return {std::move(path.rows), std::move(path.eases), note};
}

std::vector<double> Ground::radii(const Points& rows) const {
    std::vector<double> result = eases(rows);
    for (double& ease : result) ease *= ball_;
    return result;
}

void Ground::narrow(std::vector<double>& radii, double share) const {
    double most = met * step_;
    for (auto radius = radii.rbegin(); radius != radii.rend(); ++radius) {
        *radius = std::min(*radius, most);
        most /= share;
    }
}

std::vector<double> Ground::eases(const Points& rows) const {
    const double width = std::max(slow_ - least_, 1e-9);
    std::vector<double> result = density(rows);
    for (double& x : result) x = std::clamp((x - least_) / width, slowest, 1.0);
    return result;
}

TimedPath Ground::timed(const Points& nodes) const {
    return timed_path(nodes, speed_ * step_, 1e-9 * step_, rounding_,
                      [this](const Points& rows) { return eases(rows); });
}

}  // namespace rigcast::synthesis
