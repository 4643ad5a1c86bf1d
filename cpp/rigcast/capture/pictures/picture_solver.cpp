#include "rigcast/capture/pictures/picture_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigcast/linalg/dense/product.h"

namespace rigcast::capture {
namespace {

constexpr std::int64_t fewest_samples = 30;  // that a frame must show
constexpr double turn_scale = 0.3;           // radians: the unit of rotations in steps; that of translations: radius
constexpr double first_damping = 1e-7;       // of the largest diagonal entry
constexpr double most_damping = 1e2;
constexpr double sufficient_decrease = 1e-4;  // of what the slope predicts (Armijo)
constexpr int halvings = 3;
constexpr std::int64_t debias_steps = 2;  // of the round for the head; the other one has a single step
constexpr double debias_tolerance = 0.1;  // of that of a level
constexpr int light_rounds = 2;           // of reweighting

}  // namespace

void PictureSolver::start_points(const HeadPose& head) {
    points_.start(frame_points_, *frame_terms_, head, sparsity_);
    residuals_.resize(static_cast<std::size_t>(points_.num_rows()));
    std::fill(x_.end() - 6, x_.end() - 3, 0.0);
    std::copy(head.translation.begin(), head.translation.end(), x_.end() - 3);
}

/// E at a state, whose head becomes the base of rotation vectors.
double PictureSolver::evaluate(const PictureState& state) {
    double sum = color_.evaluate(state.weights.data(), state.head, state.light);
    if (!std::isfinite(sum)) return sum;
    std::copy(state.weights.begin(), state.weights.end(), x_.begin());
    start_points(state.head);
    points_.evaluate(x_.data(), residuals_.data());
    for (const double r : residuals_) sum += r * r;
    double light = 0.0;
    for (int c = 0; c < 3; ++c) {
        for (int b = 0; b < num_harmonics; ++b) {
            const double moved = (state.light.gamma[c][b] - neutral_light_.gamma[c][b]) / unit_;
            light += moved * moved;
        }
    }
    return sum - points_.constant() + 0.25 * terms_.photometric * terms_.light_ridge * light;
}

/// Gradient and Gauss-Newton matrix at the last evaluated state.
void PictureSolver::linearize(const PictureState& state) {
    const std::int64_t shapes = samples_.num_shapes(), n = shapes + 6, rows = points_.num_rows() - shapes;
    gradient_.assign(static_cast<std::size_t>(n), 0.0);
    hessian_.assign(static_cast<std::size_t>(n * n), 0.0);
    color_.add_derivatives(state.weights.data(), gradient_.data(), hessian_.data(), n);
    points_.linearize(x_.data(), &jacobian_);
    for (std::int64_t r = 0; r < rows; ++r) {
        const double twice = 2.0 * residuals_[r], *row = jacobian_.data() + r * n;
        for (std::int64_t k = 0; k < n; ++k) gradient_[k] += twice * row[k];
    }
    if (rows > 0) {
        linalg::add_product(n, n, rows, 2.0, {jacobian_.data(), 1, n}, {jacobian_.data(), n}, hessian_.data(), n,
                            workspace_.data());
    }
    for (std::int64_t k = 0; k < shapes; ++k) {
        gradient_[k] += 2.0 * std::sqrt(frame_terms_->strength[k]) * residuals_[rows + k];
        hessian_[k * n + k] += 2.0 * frame_terms_->strength[k];
    }
}

double PictureSolver::energy(const PictureState& state, double* gradient) {
    sparsity_ = terms_.sparsity;
    const double value = evaluate(state);
    if (gradient == nullptr || !std::isfinite(value)) return value;
    linearize(state);
    std::copy(gradient_.begin(), gradient_.end(), gradient);
    return value;
}

/// The state a share of a step away. Returns false if no number changed.
bool PictureSolver::move(const PictureState& from, const std::vector<double>& step, double length,
                         PictureState* to) const {
    const std::size_t shapes = from.weights.size();
    *to = from;
    bool has_moved = false;
    for (std::size_t k = 0; k < shapes; ++k) {
        const bool is_full = length == 1.0 && step[k] != 0.0;
        if (is_full && step[k] <= low_[k]) {
            to->weights[k] = frame_terms_->low[k];
        } else if (is_full && step[k] >= high_[k]) {
            to->weights[k] = std::min(from.weights[k] + high_[k], frame_terms_->high[k]);
        } else {
            to->weights[k] =
                std::clamp(from.weights[k] + length * step[k], frame_terms_->low[k], frame_terms_->high[k]);
        }
        has_moved = has_moved || to->weights[k] != from.weights[k];
    }
    double turn[3];
    for (int j = 0; j < 3; ++j) {
        turn[j] = length * turn_scale * step[shapes + j];
        to->head.translation[j] += length * samples_.radius() * step[shapes + 3 + j];
        has_moved = has_moved || turn[j] != 0.0 || step[shapes + 3 + j] != 0.0;
    }
    to->head.rotation = product(rotation_of(turn), from.head.rotation);
    return has_moved;
}

/// One step from the last evaluated state, which `energy` belongs to. Returns false if E does not fall any further.
bool PictureSolver::step(PictureState* state, double* energy, const FrameTerms& bounds, bool is_head_fixed) {
    const std::int64_t shapes = samples_.num_shapes(), n = shapes + 6;
    linearize(*state);
    const auto scale = [&](std::int64_t i) {
        return i < shapes ? 1.0 : i < shapes + 3 ? turn_scale : samples_.radius();
    };
    double largest = 0.0;
    for (std::int64_t i = 0; i < n; ++i) {
        gradient_[i] *= scale(i);
        for (std::int64_t j = 0; j < n; ++j) hessian_[i * n + j] *= scale(i) * scale(j);
        largest = std::max(largest, hessian_[i * n + i]);
        low_[i] = i < shapes ? std::min(0.0, bounds.low[i] - state->weights[i]) : is_head_fixed ? 0.0 : -1.0;
        high_[i] = i < shapes ? std::max(0.0, bounds.high[i] - state->weights[i]) : is_head_fixed ? 0.0 : 1.0;
    }
    for (; damping_ <= most_damping; damping_ *= 100.0) {
        quadratic_.minimize(hessian_, n, gradient_, low_, high_, damping_ * largest, 1e-12 * largest);
        const std::vector<double>& change = quadratic_.step();
        double slope = 0.0;
        for (std::int64_t i = 0; i < n; ++i) slope += gradient_[i] * change[i];
        if (!(slope < 0.0)) break;
        double length = 1.0;
        for (int tried = 0; tried <= halvings; ++tried, length *= 0.5) {
            PictureState trial;
            if (!move(*state, change, length, &trial)) break;
            const double value = evaluate(trial);
            if (!(value <= *energy + sufficient_decrease * length * slope)) continue;
            const bool is_done = *energy - value <= tolerance_ * std::fabs(*energy);
            *energy = value;
            *state = std::move(trial);
            damping_ = std::max(first_damping, 0.01 * damping_);
            return !is_done;
        }
        if (-slope <= tolerance_ * std::fabs(*energy)) break;
    }
    damping_ = first_damping;
    evaluate(*state);
    return false;
}

/// Refits the light of the last evaluated state.
void PictureSolver::fit_light(PictureState* state, double* energy) {
    if (!terms_.fit_light) return;
    color_.lit_samples(&lit_);
    PictureState refitted = *state;
    const double ridge = 0.25 * terms_.light_ridge * color_.total();
    capture::fit_light(lit_, unit_, ridge, neutral_light_, light_rounds, &refitted.light);
    const double value = evaluate(refitted);
    if (value <= *energy) {
        *energy = value;
        *state = std::move(refitted);
    } else {
        evaluate(*state);
    }
}

void PictureSolver::run_level(bool is_fine, std::int64_t steps, PictureFit* fit) {
    color_.start(is_fine ? fine_ : coarse_, is_fine ? fine_colors_ : coarse_colors_, {terms_.photometric, unit_});
    double energy = evaluate(fit->state);
    (is_fine ? fit->start_energy : fit->coarse_start) = energy;
    const auto record = [&] {
        if (is_fine) fit->trace.push_back(energy);
    };
    record();
    for (const std::int64_t first : {std::int64_t{0}, steps / 2}) {
        fit_light(&fit->state, &energy);
        record();
        const std::int64_t last = first == 0 ? steps / 2 : steps;
        for (std::int64_t i = first; i < last; ++i) {
            ++fit->steps;
            const bool goes_on = step(&fit->state, &energy, *frame_terms_, false);
            record();
            if (!goes_on) break;
        }
    }
    fit->energy = energy;
}

/// The better one of the given state and the end of the last frame, on the coarse level.
void PictureSolver::choose_start(PictureFit* fit) {
    color_.start(coarse_, coarse_colors_, {terms_.photometric, unit_});
    PictureState& state = fit->state;
    state.light = has_last_ ? last_.light : neutral_light_;
    if (!has_last_) return;
    PictureState other = last_;
    for (std::size_t k = 0; k < other.weights.size(); ++k) {
        other.weights[k] = std::clamp(other.weights[k], frame_terms_->low[k], frame_terms_->high[k]);
    }
    if (evaluate(other) < evaluate(state)) state = std::move(other);
}

/// The head without the linear term, over the weights above their lowest; then the weights under that head.
void PictureSolver::debias(PictureFit* fit) {
    PictureState& state = fit->state;
    FrameTerms bounds = *frame_terms_;
    for (std::size_t k = 0; k < state.weights.size(); ++k) {
        if (state.weights[k] <= bounds.low[k] && samples_.low()[k] >= 0.0) bounds.high[k] = bounds.low[k];
    }
    for (const bool is_head_fixed : {false, true}) {
        tolerance_ = debias_tolerance * terms_.tolerance;
        sparsity_ = is_head_fixed ? terms_.sparsity : 0.0;
        double energy = evaluate(state);
        for (std::int64_t i = 0; i < (is_head_fixed ? 1 : debias_steps); ++i) {
            ++fit->steps;
            if (!step(&state, &energy, is_head_fixed ? *frame_terms_ : bounds, is_head_fixed)) break;
        }
    }
}

/// The samples of the opened picture that are seen and calibrated. Returns false if there are too few.
bool PictureSolver::find_used(const double* weights, const HeadPose& head) {
    finish_calibration();
    const bool draw = frames_++ % std::max<std::int64_t>(terms_.draw_every, 1) == 0;
    visibility_.see(weights, head, height_, width_, draw, &seen_);
    fine_colors_.used.clear();
    for (std::size_t i = 0; i < seen_.size(); ++i) {
        if (seen_[i] && times_seen_[i] > 0.0) fine_colors_.used.push_back(static_cast<std::int32_t>(i));
    }
    coarse_colors_.used = fine_colors_.used;
    return std::ssize(fine_colors_.used) >= fewest_samples;
}

PictureFit PictureSolver::recall(const double* weights, const HeadPose& head, const PictureState& end) {
    PictureFit fit;
    fit.state = end;
    fit.lost = !find_used(weights, head);
    if (fit.lost) return fit;
    color_.start(fine_, fine_colors_, {terms_.photometric, unit_});
    color_.evaluate(end.weights.data(), end.head, end.light);
    return fit;
}

PictureFit PictureSolver::solve(const FramePoints& points, const FrameTerms& terms, const double* weights,
                                const HeadPose& head) {
    const auto shapes = static_cast<std::size_t>(samples_.num_shapes());
    frame_points_ = points;
    frame_terms_ = &terms;
    sparsity_ = terms_.sparsity;
    PictureFit fit;
    fit.state.weights.assign(weights, weights + shapes);
    fit.state.head = head;
    for (std::size_t k = 0; k < shapes; ++k) {
        fit.state.weights[k] = std::clamp(weights[k], terms.low[k], terms.high[k]);
    }
    if (!find_used(fit.state.weights.data(), head)) {
        fit.state.light = has_last_ ? last_.light : neutral_light_;
        fit.lost = true;
        return fit;
    }
    quadratic_ = {};  // without the order of the last frame's factorization: see recall
    damping_ = first_damping;
    tolerance_ = terms_.tolerance;
    choose_start(&fit);
    run_level(false, terms_.coarse_steps, &fit);
    run_level(true, terms_.fine_steps, &fit);
    if (terms_.debias && terms_.sparsity > 0.0) debias(&fit);
    return fit;
}

void PictureSolver::close(const PictureFit& fit) {
    has_last_ = !fit.lost;
    if (fit.lost) {
        flow_.forget();
        return;
    }
    last_ = fit.state;
    flow_.keep(color_, fine_colors_.used, &fine_, &coarse_);
}

}  // namespace rigcast::capture
