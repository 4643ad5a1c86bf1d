#include "rigcast/ik/learned/agreement.h"

#include <algorithm>
#include <cstdio>

#include "rigcast/core/check.h"
#include "rigcast/linalg/gram_kernels.h"
#include "rigcast/optimize/box/box_quadratic.h"

namespace rigcast::ik {
namespace {

constexpr double ridge_share = 1e-4;  // of the largest diagonal entry: 1e-6 to 1e-3 give the same errors
constexpr double least_descent = 1e-7;
constexpr int max_sweeps = 8;  // of coordinate descent before the active set; chosen, not tuned

/// 1 / the number of regions of each parameter, 0 if none has it.
std::vector<float> shares(const Proposers& proposers) {
    std::vector<float> share(static_cast<std::size_t>(proposers.rest.extent(0)), 0.0f);
    for (const auto& region : proposers.regions) {
        for (const std::int32_t k : region) share[k] += 1.0f;
    }
    for (float& x : share) x = x > 0.0f ? 1.0f / x : 0.0f;
    return share;
}

class Average : public Agreement {
public:
    explicit Average(const Proposers& proposers) : proposers_(proposers), share_(shares(proposers)) {}

    void settle(View<const float, 2> proposals, View<float, 2> parameters) const override {
        const std::int64_t n = parameters.extent(1);
        for (std::int64_t t = 0; t < proposals.extent(0); ++t) {
            float* p = parameters.row(t);
            std::fill_n(p, n, 0.0f);
            const float* y = proposals.row(t);
            for (const auto& region : proposers_.regions) {
                for (const std::int32_t k : region) p[k] += share_[k] * *y++;
            }
            for (std::int64_t k = 0; k < n; ++k) {
                p[k] = std::clamp(proposers_.rest(k) + p[k], proposers_.bounds(k, 0), proposers_.bounds(k, 1));
            }
        }
    }

private:
    Proposers proposers_;
    std::vector<float> share_;
};

class JointSolve : public Agreement {
public:
    JointSolve(const Proposers& proposers, const TensorFile& tensors)
        : proposers_(proposers), share_(shares(proposers)) {
        const std::int64_t n = proposers.rest.extent(0);
        scale_ = tensors.get<float, 1>("parameters.scale", {n});
        check_finite("load", "parameters.scale", scale_);
        for (const float scale : scale_) {
            if (scale > 0.0f) continue;
            throw bad_argument("load", "parameters.scale", "holding " + std::to_string(scale), "positive");
        }
        for (std::int64_t k = 0; k < n; ++k) {
            low_.push_back((static_cast<double>(proposers.bounds(k, 0)) - proposers.rest(k)) / scale_(k));
            high_.push_back((static_cast<double>(proposers.bounds(k, 1)) - proposers.rest(k)) / scale_(k));
        }
        hessian_.assign(static_cast<std::size_t>(n * n), 0.0);
        for (std::size_t r = 0; r < proposers.regions.size(); ++r) add_region(tensors, r);
        for (std::int64_t k = 0; k < n; ++k) ridge_ = std::max(ridge_, ridge_share * hessian_[k * n + k]);
    }

    void settle(View<const float, 2> proposals, View<float, 2> parameters) const override {
        const std::size_t n = scale_.size();
        std::vector<double> z(n), gradient(n), low(n), high(n), sum(largest_);
        optimize::BoxQuadratic quadratic;
        for (std::int64_t t = 0; t < proposals.extent(0); ++t) {
            average_of(proposals.row(t), z);
            gradient_of(proposals.row(t), z, sum, gradient);
            descend(z, gradient);
            for (std::size_t k = 0; k < n; ++k) {
                low[k] = std::min(low_[k] - z[k], 0.0);
                high[k] = std::max(high_[k] - z[k], 0.0);
            }
            quadratic.minimize(hessian_, static_cast<std::int64_t>(n), gradient, low, high, ridge_,
                               least_descent * ridge_);
            float* p = parameters.row(t);
            for (std::size_t k = 0; k < n; ++k) {
                const float value = static_cast<float>(proposers_.rest(k) + scale_(k) * (z[k] + quadratic.step()[k]));
                p[k] = std::clamp(value, proposers_.bounds(k, 0), proposers_.bounds(k, 1));
            }
        }
    }

private:
    void add_region(const TensorFile& tensors, std::size_t r) {
        char name[32];
        std::snprintf(name, sizeof name, "region.%03d.gram", static_cast<int>(r));
        const auto& region = proposers_.regions[r];
        const auto size = static_cast<std::int64_t>(region.size()), n = proposers_.rest.extent(0);
        const View<const float, 2> gram = tensors.get<float, 2>(name, {size, size});
        check_finite("load", name, gram);
        for (std::int64_t a = 0; a < size; ++a) {
            for (std::int64_t b = 0; b < size; ++b) hessian_[region[a] * n + region[b]] += gram(a, b);
        }
        grams_.emplace_back(gram.begin(), gram.end());
        largest_ = std::max(largest_, region.size());
    }

    double clamped(std::int32_t k, float y) const {
        return std::clamp(static_cast<double>(y) / scale_(k), low_[k], high_[k]);
    }

    void average_of(const float* y, std::vector<double>& mean) const {
        std::fill(mean.begin(), mean.end(), 0.0);
        for (const auto& region : proposers_.regions) {
            for (const std::int32_t k : region) mean[k] += share_[k] * clamped(k, *y++);
        }
    }

    /// The gradient of half the objective at the average: sum_r gram_r (mean - z^r). `sum` is memory.
    void gradient_of(const float* y, const std::vector<double>& mean, std::vector<double>& sum,
                     std::vector<double>& gradient) const {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        for (std::size_t r = 0; r < grams_.size(); ++r) {
            const auto& region = proposers_.regions[r];
            const std::size_t size = region.size();
            std::fill_n(sum.begin(), size, 0.0);
            for (std::size_t a = 0; a < size; ++a) {
                const double offset = mean[region[a]] - clamped(region[a], y[a]);
                if (offset == 0.0) continue;
                linalg::gram_kernels().add_scaled(offset, grams_[r].data() + a * size, sum.data(),
                                                  static_cast<std::int64_t>(size));
            }
            for (std::size_t a = 0; a < size; ++a) gradient[region[a]] += sum[a];
            y += size;
        }
    }

    /// Coordinate descent inside the bounds, z and the gradient in step: most parameters that end at a bound are there
    /// after it, and each saves the active set a move.
    void descend(std::vector<double>& z, std::vector<double>& gradient) const {
        const std::size_t n = z.size();
        bool moved = true;
        for (int sweep = 0; moved && sweep < max_sweeps; ++sweep) {
            moved = false;
            for (std::size_t k = 0; k < n; ++k) {
                const double* row = hessian_.data() + k * n;
                const double change = std::clamp(z[k] - gradient[k] / (row[k] + ridge_), low_[k], high_[k]) - z[k];
                if (change == 0.0) continue;
                const double end = z[k] + change;
                moved = moved || end == low_[k] || end == high_[k] || z[k] == low_[k] || z[k] == high_[k];
                z[k] = end;
                linalg::gram_kernels().add_scaled(change, row, gradient.data(), static_cast<std::int64_t>(n));
                gradient[k] += ridge_ * change;
            }
        }
    }

    Proposers proposers_;
    std::vector<float> share_;
    View<const float, 1> scale_;              // (N)
    std::vector<double> low_, high_;          // (N) bounds in units of the scale, relative to rest
    std::vector<std::vector<double>> grams_;  // per region
    std::vector<double> hessian_;             // (N, N) their sum
    double ridge_ = 0.0;
    std::size_t largest_ = 0;  // parameters of a region
};

}  // namespace

std::unique_ptr<const Agreement> average(const Proposers& proposers) {
    return std::make_unique<Average>(proposers);
}

std::unique_ptr<const Agreement> joint_solve(const Proposers& proposers, const TensorFile& tensors) {
    return std::make_unique<JointSolve>(proposers, tensors);
}

}  // namespace rigcast::ik
