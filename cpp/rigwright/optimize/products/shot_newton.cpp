#include "rigwright/optimize/products/shot_newton.h"

#include <algorithm>

#include "rigwright/core/parallel.h"

namespace rigwright::optimize {
namespace {

/// Shortens steps to the ends of their pieces; how many had to be and were not held before.
std::int64_t hold_inside(const ShotPoint& point, ShotStep& step) {
    std::int64_t count = 0;
    for (std::size_t t = 0; t < point.models.size(); ++t) {
        const QuadraticModel& model = point.models[t];
        for (std::int64_t i = 0; i < model.size(); ++i) {
            const std::int64_t own = step.begin[t] + i;
            const double x = model.at()[i];
            const double inside = std::clamp(step.length[own], model.low()[i] - x, model.high()[i] - x);
            if (inside == step.length[own] || step.held[own]) continue;
            step.length[own] = inside;
            step.held[own] = true;
            ++count;
        }
    }
    return count;
}

}  // namespace

template <class Real>
bool ShotNewton<Real>::find(const ShotPoint& point, bool curvature, ShotStep& step) {
    step.begin.assign(1, 0);
    for (const QuadraticModel& model : point.models) step.begin.push_back(step.begin.back() + model.size());
    step.length.assign(step.begin.back(), 0.0);
    step.held.assign(step.begin.back(), 0);
    return hold(point, curvature, 0.05, step);
}

template <class Real>
bool ShotNewton<Real>::complete(const ShotPoint& point, bool curvature, ShotStep& step) {
    return hold(point, curvature, 0.0, step);
}

/// Solves until no more than `few` of the variables had to be held at last, or more of them than before: there is no
/// end to that.
template <class Real>
bool ShotNewton<Real>::hold(const ShotPoint& point, bool curvature, double few, ShotStep& step) {
    constexpr int rounds = 8;
    std::int64_t before = step.begin.back();
    for (int round = 0; round < rounds; ++round) {
        if (!solve(point, curvature, step)) return false;
        const std::int64_t count = hold_inside(point, step);
        step.is_cut = count > 0;
        if (static_cast<double>(count) <= few * static_cast<double>(step.begin.back()) || count > before) break;
        before = count;
    }
    step.slope = 0.0;
    for (std::size_t t = 0; t < point.models.size(); ++t) {
        const std::vector<double>& gradient = point.models[t].gradient();
        for (std::size_t i = 0; i < gradient.size(); ++i) step.slope += step.length[step.begin[t] + i] * gradient[i];
    }
    return step.slope < 0.0;
}

/// Solves for the steps that are not held, given those that are.
template <class Real>
bool ShotNewton<Real>::solve(const ShotPoint& point, bool curvature, ShotStep& step) {
    constexpr std::int64_t batch = 32;  // frames whose Hessians are formed at once, to stay near until they are used
    const std::int64_t frames = static_cast<std::int64_t>(point.models.size());
    hessians_.resize(batch);
    number(point, step);
    x_.assign(matrix_.size(), Real{0});
    for (std::int64_t t = 0; t < frames; ++t) {
        if (t % batch == 0) {
            parallel_for(std::min(batch, frames - t), 4, threads_, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                    hessians_[i].form(point.frames[t + i], point.models[t + i].free_variables(), curvature);
                }
            });
        }
        matrix_.clear_block(t);
        assemble(point, step, t, hessians_[t % batch]);
        if (!matrix_.factorize_block(t, x_.data())) return false;
    }
    matrix_.solve_back(x_.data());
    for (std::int64_t i = 0; i < step.begin.back(); ++i) {
        if (place_[i] >= 0) step.length[i] = x_[place_[i]];
    }
    return true;
}

/// Rows of the matrix: place_[i] for step i, -1 where it is held; index_ is the step of a frame's variable, or -1.
template <class Real>
void ShotNewton<Real>::number(const ShotPoint& point, const ShotStep& step) {
    const std::int64_t frames = static_cast<std::int64_t>(point.models.size()), width = shot_.lower.extent(1);
    size_.assign(frames, 0);
    index_.assign(frames * width, -1);
    for (std::int64_t t = 0; t < frames; ++t) {
        for (std::int64_t i = step.begin[t]; i < step.begin[t + 1]; ++i) {
            index_[t * width + point.models[t].free()[i - step.begin[t]]] = i;
            size_[t] += step.held[i] ? 0 : 1;
        }
    }
    matrix_.reset(size_);
    place_.assign(step.begin.back(), -1);
    for (std::int64_t t = 0; t < frames; ++t) {
        std::int64_t next = matrix_.begin(t);
        for (std::int64_t i = step.begin[t]; i < step.begin[t + 1]; ++i) {
            if (!step.held[i]) place_[i] = next++;
        }
    }
}

/// A frame's rows of the matrix, upper triangle, and of the right side.
template <class Real>
void ShotNewton<Real>::assemble(const ShotPoint& point, const ShotStep& step, std::int64_t t,
                                const Hessian<Real>& hessian) {
    constexpr Real ridge = sizeof(Real) == 4 ? 1e-6 : 1e-13;  // of the diagonal: beyond rounding
    const QuadraticModel& model = point.models[t];
    const std::int64_t frames = static_cast<std::int64_t>(point.models.size()), width = shot_.lower.extent(1);
    const std::int64_t first = matrix_.begin(t);
    const bool whole = size_[t] == model.size();  // nothing is held
    for (std::int64_t i = 0; i < model.size(); ++i) {
        const std::int64_t own = step.begin[t] + i, at = place_[own];
        if (at < 0) continue;
        Real* row = matrix_.row(t, at);
        Real& diagonal = row[at - first];
        diagonal = Real{0};
        x_[at] -= static_cast<Real>(model.gradient()[i]);
        const auto couple = [&](std::int64_t other, double entry) {
            if (place_[other] < 0) {
                x_[at] -= static_cast<Real>(entry * step.length[other]);
            } else if (place_[other] >= at) {
                row[place_[other] - first] += static_cast<Real>(entry);
            }
        };
        const Real* entries = hessian.entries().data() + i * hessian.stride();
        if (whole) {
            std::copy(entries + i, entries + model.size(), &diagonal);
        } else {
            for (std::int64_t j = 0; j < model.size(); ++j) couple(step.begin[t] + j, entries[j]);
        }
        const std::int64_t k = model.free()[i];
        for (int distance = 1; distance <= 2; ++distance) {
            const double scale = 2.0 * shot_.bending(k);
            const std::int64_t before = t >= distance ? index_[(t - distance) * width + k] : -1;
            const std::int64_t after = t + distance < frames ? index_[(t + distance) * width + k] : -1;
            if (before >= 0) couple(before, scale * bend_(t - distance, distance));
            if (after >= 0) couple(after, scale * bend_(t, distance));
        }
        diagonal *= 1 + ridge;
    }
}

template class ShotNewton<float>;
template class ShotNewton<double>;

}  // namespace rigwright::optimize
