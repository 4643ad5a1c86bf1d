#include "rigcast/rig/deformer.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/bit_cast.h"
#include "rigcast/core/check.h"
#include "rigcast/core/error.h"
#include "rigcast/core/interruption.h"

namespace rigcast::rig {
namespace {

/// Integer arithmetic, which compilers make vectors of: a Jacobian has many more entries than costly ones.
template <int Rank>
bool is_finite(View<float, Rank> values) {
    constexpr std::uint32_t exponent = 0x7f800000;  // all its bits are set in infinities and NaN alone
    std::uint32_t found = 0;
    for (const float x : values) found |= (bit_cast<std::uint32_t>(x) & exponent) == exponent ? 1u : 0u;
    return found == 0;
}

/// The state of a session that caches nothing.
class NoCache final : public SessionState {
public:
    explicit NoCache(const Deformer& model) : model_(model) {}

    void update(const float* pose, const float*, float* vertices) override {
        const Character& character = model_.character();
        model_.evaluate({pose, {1, character.num_controls()}}, {vertices, {1, character.num_vertices(), 3}}, 1);
    }

private:
    const Deformer& model_;
};

}  // namespace

void Deformer::check_poses(const char* function, View<const float, 2> poses, const char* argument) const {
    if (poses.extent(1) != character_.num_controls()) {
        const bool joints = character_.skeleton.num_joints() > 0;
        throw bad_argument(
            function, argument, std::to_string(poses.extent(1)) + " wide",
            std::to_string(character_.num_controls()) +
                (joints ? " wide: 12 per joint, then the numeric controls" : " wide: the numeric controls"));
    }
    const float limit = pose_limit();
    int beyond = 0;  // no early exit, so that the compiler vectorizes the loop
    for (const float x : poses) beyond |= static_cast<int>(!(std::abs(x) <= limit));
    if (beyond == 0) return;
    const auto wrong = std::find_if_not(poses.begin(), poses.end(), [&](float x) { return std::abs(x) <= limit; });
    check_finite(function, argument, poses);
    const std::string range = "between -" + describe_number(limit, 3) + " and " + describe_number(limit, 3);
    throw bad_argument(function, argument,
                       describe_number(*wrong, 3) + " at " + describe_place(poses, wrong - poses.begin()),
                       limit > 0.0f ? range + ": beyond it, vertices overflow"
                                    : "0: this model's offsets are so large that any other value overflows float32");
}

void Deformer::check_arguments(const char* function, const char* argument, View<const float, 2> poses,
                               View<const float, 3> vertices) const {
    check_poses(function, poses);
    check_shape<const float, 3>(function, argument, vertices, {poses.extent(0), character_.num_vertices(), 3});
}

void Deformer::evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    check_arguments("evaluate", "out", poses, vertices);
    do_evaluate(poses, vertices, threads);
}

void Deformer::vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                   int threads) const {
    check_arguments("vjp", "cotangents", poses, cotangents);
    check_shape<float, 2>("vjp", "gradients", gradients, {poses.extent(0), poses.extent(1)});
    check_finite("vjp", "cotangents", cotangents);
    do_vjp(poses, cotangents, gradients, threads);
    if (!is_finite(gradients)) {
        throw bad_argument("vjp", "cotangents", "so large that the gradient overflows",
                           "smaller, or the poses must be");
    }
}

void Deformer::jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                   int threads) const {
    check_arguments("jvp", "derivatives", poses, derivatives);
    check_shape<const float, 2>("jvp", "tangents", tangents, {poses.extent(0), poses.extent(1)});
    check_finite("jvp", "tangents", tangents);
    do_jvp(poses, tangents, derivatives, threads);
    if (!is_finite(derivatives)) {
        throw bad_argument("jvp", "tangents", "so large that the derivative overflows",
                           "smaller, or the poses must be");
    }
}

void Deformer::jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const {
    check_poses("jacobian", poses);
    check_shape<float, 3>("jacobian", "jacobians", jacobians,
                          {poses.extent(0), 3 * character_.num_vertices(), character_.num_controls()});
    do_jacobian(poses, jacobians, threads);
    if (!is_finite(jacobians)) {
        throw bad_argument("jacobian", "poses", "so large that the derivative overflows", "smaller");
    }
}

void Deformer::do_jacobian(View<const float, 2> poses, View<float, 3> jacobians, int threads) const {
    if (jacobians.extent(1) < jacobians.extent(2)) {
        jacobian_by_rows(poses, jacobians, threads);
    } else {
        jacobian_by_columns(poses, jacobians, threads);
    }
}

std::shared_ptr<Deformer> Deformer::restricted(View<const std::int32_t, 1> vertices) const {
    if (vertices.extent(0) == 0) throw bad_argument("restricted", "vertices", "empty", "at least one vertex");
    for (const std::int32_t v : vertices) {
        if (v < 0 || v >= character_.num_vertices()) {
            throw bad_argument("restricted", "vertices", "holding " + std::to_string(v),
                               "indices below " + std::to_string(character_.num_vertices()));
        }
    }
    return do_restricted(vertices);
}

void Deformer::confidence(View<const float, 2> poses, View<float, 1> confidences) const {
    check_poses("confidence", poses);
    check_shape<float, 1>("confidence", "confidences", confidences, {poses.extent(0)});
    for (std::int64_t t = 0; t < poses.extent(0); ++t) {
        check_interruption();
        confidences(t) = character_.confidence(poses.row(t));
    }
}

void Deformer::out_of_range(View<const float, 2> poses, View<bool, 1> flags) const {
    check_poses("out_of_range", poses);
    check_shape<bool, 1>("out_of_range", "flags", flags, {poses.extent(0)});
    for (std::int64_t t = 0; t < poses.extent(0); ++t) flags(t) = character_.confidence.outside(poses.row(t));
}

std::unique_ptr<SessionState> Deformer::new_session_state() const {
    return std::make_unique<NoCache>(*this);
}

}  // namespace rigcast::rig
