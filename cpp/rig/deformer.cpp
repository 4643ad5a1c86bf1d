#include "rig/deformer.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "core/check.h"
#include "core/error.h"

namespace rigwright::rig {
namespace {

std::string short_number(float x) {
    std::ostringstream text;
    text << std::setprecision(3) << x;
    return text.str();
}

}  // namespace

void Deformer::check_poses(const char* function, View<const float, 2> poses, const char* argument) const {
    if (poses.extent(1) != character_.num_controls()) {
        const bool joints = character_.skeleton.num_joints() > 0;
        throw bad_argument(
            function, argument, std::to_string(poses.extent(1)) + " wide",
            std::to_string(character_.num_controls()) +
                (joints ? " wide: 12 a joint, then the numeric controls" : " wide: the numeric controls"));
    }
    const float limit = pose_limit();
    const auto wrong = std::find_if_not(poses.begin(), poses.end(), [&](float x) { return std::abs(x) <= limit; });
    if (wrong == poses.end()) return;
    check_finite(function, argument, poses);
    const std::string range = limit > 0.0f ? "between -" + short_number(limit) + " and " + short_number(limit)
                                           : "0, the rig's numbers are that large";
    throw bad_argument(function, argument, short_number(*wrong) + " at " + describe_place(poses, wrong - poses.begin()),
                       range + ": beyond, vertices overflow");
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
    check_shape<const float, 2>("vjp", "gradients", gradients, poses.extents());
    if (!std::all_of(cotangents.begin(), cotangents.end(), [](float x) { return std::isfinite(x); })) {
        throw bad_argument("vjp", "cotangents", "not finite everywhere", "finite");
    }
    do_vjp(poses, cotangents, gradients, threads);
    if (!std::all_of(gradients.begin(), gradients.end(), [](float x) { return std::isfinite(x); })) {
        throw bad_argument("vjp", "cotangents", "so large that the gradient overflows", "smaller, or the poses");
    }
}

void Deformer::confidence(View<const float, 2> poses, View<float, 1> confidences) const {
    check_poses("confidence", poses);
    check_shape<const float, 1>("confidence", "confidences", confidences, {poses.extent(0)});
    for (std::int64_t t = 0; t < poses.extent(0); ++t) confidences(t) = character_.confidence(poses.row(t));
}

}  // namespace rigwright::rig
