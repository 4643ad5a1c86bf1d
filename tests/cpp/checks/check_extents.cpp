// Outputs of wrong extents are refused by name before anything is written.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "random_model.h"
#include "rigcast/core/error.h"
#include "rigcast/mesh/search/closest_points.h"
#include "rigcast/mesh/search/point_tree.h"
#include "rigcast/metrics/normal_error.h"
#include "rigcast/metrics/vertex_error.h"
#include "rigcast/registry/make_model.h"
#include "rigcast/rig/skinning/rigid_assignment.h"

namespace {

using namespace rigcast;

/// 1 unless the call throws an ArgumentError that names the argument.
int expect_refusal(const std::string& argument, const std::function<void()>& call) {
    std::string said = "nothing";
    try {
        call();
    } catch (const ArgumentError& error) {
        said = error.what();
    }
    const bool named = said.find(": " + argument + " is (") != std::string::npos;
    std::printf("%s %s\n", named ? "refused:" : "NOT REFUSED:", said.c_str());
    return named ? 0 : 1;
}

int check_deformers() {
    int wrong = 0;
    const checks::Sizes sizes;
    for (const std::string& kind : model_kinds()) {
        const auto model = make_model(std::make_shared<const TensorFile>(checks::random_model(kind, sizes, 1)));
        const std::int64_t vertices = model->character().num_vertices(), controls = model->character().num_controls();
        const std::vector<float> pose(2 * controls, 0.0f), cotangents(6 * vertices, 0.0f);
        std::vector<float> out(6 * vertices + 2 * controls);
        const View<const float, 2> poses{pose.data(), {2, controls}};
        const View<const float, 3> seeds{cotangents.data(), {2, vertices, 3}};
        wrong += expect_refusal("out", [&] { model->evaluate(poses, {out.data(), {1, vertices, 3}}, 1); });
        wrong += expect_refusal("gradients", [&] { model->vjp(poses, seeds, {out.data(), {1, controls}}, 1); });
        wrong += expect_refusal("gradients", [&] { model->vjp(poses, seeds, {out.data(), {2, controls - 1}}, 1); });
        wrong += expect_refusal("confidences", [&] { model->confidence(poses, {out.data(), {1}}); });
    }
    return wrong;
}

int check_metrics() {
    const std::vector<float> a(2 * 4 * 3, 0.0f);
    const std::vector<std::int32_t> corners{0, 1, 2, 3};
    std::vector<float> out(8);
    const View<const float, 3> animation{a.data(), {2, 4, 3}};
    const View<const std::int32_t, 2> faces{corners.data(), {1, 4}};
    int wrong = expect_refusal("distances", [&] {
        metrics::vertex_distances(animation, animation, {out.data(), {2, 3}}, 1);
    });
    wrong += expect_refusal("angles", [&] {
        metrics::face_normal_angles(animation, animation, faces, {out.data(), {1, 1}}, 1);
    });
    return wrong;
}

int check_nearest() {
    const std::vector<float> points{0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::vector<std::int32_t> corners{0, 1, 2, -1};
    const View<const float, 2> three{points.data(), {3, 3}};
    const View<const std::int32_t, 2> faces{corners.data(), {1, 4}};
    std::vector<float> floats(18);
    std::vector<std::int32_t> indices(9);
    const mesh::PointTree tree(three);
    int wrong = expect_refusal("indices", [&] {
        tree.nearest(three, {indices.data(), {2, 1}}, {floats.data(), {3, 1}}, 1);
    });
    wrong += expect_refusal("squared_distances", [&] {
        tree.nearest(three, {indices.data(), {3, 2}}, {floats.data(), {3, 1}}, 1);
    });
    const auto closest = [&](std::int64_t n, std::int64_t m, std::int64_t k) {
        mesh::closest_points(three, faces, three, nullptr, {indices.data(), {n, 3}}, {floats.data(), {m, 3}},
                             {floats.data() + 9, {k}}, 1);
    };
    wrong += expect_refusal("corners", [&] { closest(2, 3, 3); });
    wrong += expect_refusal("weights", [&] { closest(3, 2, 3); });
    wrong += expect_refusal("distances", [&] { closest(3, 3, 2); });
    return wrong;
}

int check_rigid_errors() {
    const std::vector<float> identity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const rig::Skeleton skeleton({"root"}, {-1}, {identity.data(), {1, 3, 4}});
    const std::vector<float> points(6, 0.0f);
    const View<const float, 2> rest{points.data(), {2, 3}}, poses{identity.data(), {1, 12}};
    const View<const float, 3> vertices{points.data(), {1, 2, 3}};
    std::vector<double> errors(2);
    return expect_refusal("errors", [&] {
        rig::rigid_errors(skeleton, rest, poses, vertices, {errors.data(), {1, 1}}, 1);
    });
}

}  // namespace

int main() {
    const int wrong = check_deformers() + check_metrics() + check_nearest() + check_rigid_errors();
    return wrong == 0 ? 0 : 1;
}
