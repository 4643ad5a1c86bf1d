#include "rigwright/ik/learned/agreement.h"

#include <algorithm>
#include <cstdio>

#include "rigwright/core/check.h"
#include "rigwright/optimize/products/box_quadratic.h"

namespace rigwright::ik {
namespace {

constexpr double ridge_share = 1e-4;  // of the largest diagonal entry: 1e-6 to 1e-3 give the same errors
constexpr double least_descent = 1e-7;

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
        hessian_.assign(static_cast<std::size_t>(n * n), 0.0);
        for (std::size_t r = 0; r < proposers.regions.size(); ++r) add_region(tensors, r);
        for (std::int64_t k = 0; k < n; ++k) ridge_ = std::max(ridge_, ridge_share * hessian_[k * n + k]);
    }

    void settle(View<const float, 2> proposals, View<float, 2> parameters) const override {
        const std::size_t n = scale_.size();
        std::vector<double> mean(n), gradient(n), low(n), high(n), offsets(largest_);
        optimize::BoxQuadratic quadratic;
        for (std::int64_t t = 0; t < proposals.extent(0); ++t) {
            average_of(proposals.row(t), mean);
            gradient_of(proposals.row(t), mean, offsets, gradient);
            for (std::size_t k = 0; k < n; ++k) {
                low[k] = std::min(bound(k, 0) - mean[k], 0.0);
                high[k] = std::max(bound(k, 1) - mean[k], 0.0);
            }
            quadratic.minimize(hessian_, static_cast<std::int64_t>(n), gradient, low, high, ridge_,
                               least_descent * ridge_);
            float* p = parameters.row(t);
            for (std::size_t k = 0; k < n; ++k) {
                const double z = mean[k] + quadratic.step()[k];
                const float value = static_cast<float>(proposers_.rest(k) + scale_(k) * z);
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
        grams_.push_back(gram);
        largest_ = std::max(largest_, region.size());
    }

    /// Bounds in units of the scale, relative to rest.
    double bound(std::size_t k, int side) const {
        return (static_cast<double>(proposers_.bounds(k, side)) - proposers_.rest(k)) / scale_(k);
    }

    double clamped(std::int32_t k, float y) const {
        return std::clamp(static_cast<double>(y) / scale_(k), bound(k, 0), bound(k, 1));
    }

    void average_of(const float* y, std::vector<double>& mean) const {
        std::fill(mean.begin(), mean.end(), 0.0);
        for (const auto& region : proposers_.regions) {
            for (const std::int32_t k : region) mean[k] += share_[k] * clamped(k, *y++);
        }
    }

    /// The gradient of half the objective at the average: sum_r gram_r (mean - z^r).
    void gradient_of(const float* y, const std::vector<double>& mean, std::vector<double>& offsets,
                     std::vector<double>& gradient) const {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        for (std::size_t r = 0; r < grams_.size(); ++r) {
            const auto& region = proposers_.regions[r];
            for (std::size_t a = 0; a < region.size(); ++a) offsets[a] = mean[region[a]] - clamped(region[a], y[a]);
            for (std::size_t a = 0; a < region.size(); ++a) {
                const float* row = grams_[r].row(static_cast<std::int64_t>(a));
                double sum = 0.0;
                for (std::size_t b = 0; b < region.size(); ++b) sum += row[b] * offsets[b];
                gradient[region[a]] += sum;
            }
            y += region.size();
        }
    }

    Proposers proposers_;
    std::vector<float> share_;
    View<const float, 1> scale_;               // (N)
    std::vector<View<const float, 2>> grams_;  // per region
    std::vector<double> hessian_;              // (N, N) their sum
    double ridge_ = 0.0;
    std::size_t largest_ = 0;  // parameters of a region
};

}  // namespace

std::unique_ptr<const Agreement> average(const Proposers& proposers) { return std::make_unique<Average>(proposers); }

std::unique_ptr<const Agreement> joint_solve(const Proposers& proposers, const TensorFile& tensors) {
    return std::make_unique<JointSolve>(proposers, tensors);
}

}  // namespace rigwright::ik
