#include "random_model.h"

#include <bit>
#include <cmath>
#include <cstdio>

#include "random_baselines.h"
#include "random_builder.h"

namespace rigcast::checks {
namespace {

std::vector<float> transforms(Builder& builder, int count) {
    std::vector<float> values;
    for (int i = 0; i < 12 * count; ++i) values.push_back((i % 12 % 5 == 0 ? 1.0f : 0.0f) + builder.normal(0.1f));
    return values;
}

/// The combinations of four columns: two components, and an expected error.
void add_combinations(Builder& builder, const Sizes& sizes) {
    const std::string space = "confidence.space.", error = "confidence.error.";
    builder.list<std::int32_t>(space + "column", {0, 3, 7, 12 * sizes.joints});
    builder.noise(space + "mean", {4}, 1.0f);
    builder.list<float>(space + "scale", {1.0f, 2.0f, 0.5f, 1.0f});
    const std::vector<float> basis{0.8f, 0.6f, -0.6f, 0.8f, 0.0f, 0.0f, 0.0f, 0.0f};
    builder.file.add("confidence.space.basis", {4, 2}, basis.data());
    builder.list<float>(space + "deviation", {1.5f, 0.5f});
    builder.list<float>(space + "radius", {2.0f});
    builder.list<float>(error + "deviation", {1.0f, 0.5f, 2.0f, 0.1f});
    for (const char* name : {"linear", "square"}) builder.noise(error + name, {4}, 0.1f);
    builder.noise(error + "rest", {2}, 0.1f);
    builder.list<float>(error + "distance", {0.3f});
    builder.list<float>(error + "offset", {0.5f});
}

/// A sheet of quads with soft waves.
void add_sheet(Builder& builder, const Sizes& sizes) {
    std::vector<std::int32_t> faces;
    std::vector<float> rest;
    const float step = 2.0f / static_cast<float>(sizes.row);
    for (int k = 0; k < sizes.vertices; ++k) {
        const float x = step * static_cast<float>(k % sizes.row), y = step * static_cast<float>(k / sizes.row);
        for (const float number : {x, y, 0.3f * std::sin(3.0f * x + 2.0f * y)}) rest.push_back(number);
        if (k % sizes.row + 1 == sizes.row || k + sizes.row >= sizes.vertices) continue;
        for (const int corner : {k, k + 1, k + sizes.row + 1, k + sizes.row}) faces.push_back(corner);
    }
    builder.file.add("rest_vertices", {sizes.vertices, 3}, rest.data());
    builder.file.add("faces", {static_cast<std::int64_t>(faces.size() / 4), 4}, faces.data());
}

void add_character(Builder& builder, const Sizes& sizes) {
    const std::int64_t joints = sizes.joints, vertices = sizes.vertices;
    std::vector<std::int32_t> parents, faces;
    for (int j = 0; j < sizes.joints; ++j) parents.push_back(j == 0 ? -1 : builder.below(j));
    for (int f = 0; f < 4 * sizes.vertices; ++f) faces.push_back(f % 4 == 3 ? -1 : builder.below(sizes.vertices));
    builder.list("skeleton.parents", parents);
    builder.file.add("skeleton.rest", {joints, 3, 4}, transforms(builder, sizes.joints).data());
    if (sizes.row > 0) {
        add_sheet(builder, sizes);
    } else {
        builder.noise("rest_vertices", {vertices, 3}, 1.0f);
        builder.file.add("faces", {vertices, 4}, faces.data());
    }
    builder.noise("control_ranges", {12 * joints + 1, 2}, 1.0f);
    builder.list<std::int32_t>("confidence.offset", {0, 2});
    builder.list<std::int32_t>("confidence.column", {0, 3});
    builder.list<std::int32_t>("confidence.whiten.offset", {0, 4});
    builder.noise("confidence.mean", {2}, 1.0f);
    builder.noise("confidence.whiten", {4}, 1.0f);
    builder.list<float>("confidence.radius", {1.5f});
    add_combinations(builder, sizes);
}

void add_set(Builder& builder, const Sizes& sizes, int index, std::int64_t members, std::int64_t inputs) {
    char text[32];
    std::snprintf(text, sizeof(text), "set.%03d.", index);
    const std::string name = text;
    const std::int64_t h1 = sizes.hidden, h2 = sizes.hidden + 3, r = inputs == 0 ? 0 : sizes.components;
    if (r > 0) {
        builder.noise(name + "layer1.weight", {h1, inputs}, 0.2f);
        builder.noise(name + "layer1.bias", {h1}, 0.2f);
        builder.noise(name + "layer2.weight", {h2, h1}, 0.2f);
        builder.noise(name + "layer2.bias", {h2}, 0.2f);
        builder.noise(name + "layer3.weight", {r, h2}, 0.2f);
        builder.noise(name + "layer3.bias", {r}, 0.2f);
    }
    builder.noise(name + "basis", {3 * members, r}, 0.1f);
    builder.noise(name + "mean", {3 * members}, 0.1f);
}

void add_sets(Builder& builder, const Sizes& sizes) {
    std::vector<std::int32_t> joint, vertex, column, offset{0}, input_offset{0};
    std::vector<float> weight;
    for (int i = 0; i < sizes.sets; ++i) {
        for (int k = 0; k < sizes.vertices; ++k) {
            const bool first = k % sizes.sets == i, second = k % 3 == 0 && (k + 1) % sizes.sets == i;
            if (!first && !second) continue;
            vertex.push_back(k);
            weight.push_back(k % 3 == 0 && sizes.sets > 1 ? 0.5f : 1.0f);
        }
        const int inputs = i == 1 ? 0 : 7 + 5 * i;
        for (int n = 0; n < inputs; ++n) column.push_back(builder.below(12 * sizes.joints + 1));
        joint.push_back(builder.below(sizes.joints));
        offset.push_back(static_cast<std::int32_t>(vertex.size()));
        input_offset.push_back(static_cast<std::int32_t>(column.size()));
        add_set(builder, sizes, i, offset[i + 1] - offset[i], inputs);
    }
    builder.list("sets.joint", joint);
    builder.list("sets.offset", offset);
    builder.list("sets.vertex", vertex);
    builder.list("sets.weight", weight);
    builder.list("inputs.offset", input_offset);
    builder.list("inputs.column", column);
}

/// Numbers of magnitude 1.5 to 2.5 and random sign, so that units keep away from the kink of a leaky ReLU.
void add_far_biases(Builder& builder, const std::string& name, int count) {
    std::vector<float> values;
    for (int i = 0; i < count; ++i) values.push_back((builder.below(2) ? 1.5f : -1.5f) + builder.normal(0.2f));
    builder.list(name, values);
}

void add_map_network(Builder& builder, const Sizes& sizes, const std::string& name, int inputs, int doublings) {
    constexpr int base = 2, base_channels = 2, channels = 3;
    const std::int64_t hidden = sizes.hidden, rows = base_channels * base * base;
    builder.noise(name + "dense1.weight", {hidden, inputs}, 0.2f);
    add_far_biases(builder, name + "dense1.bias", sizes.hidden);
    builder.noise(name + "dense2.weight", {rows, hidden}, 0.3f);
    builder.noise(name + "dense2.bias", {rows}, 0.3f);
    for (int layer = 1; layer <= doublings + 1; ++layer) {
        const std::string own = name + "conv" + std::to_string(layer);
        builder.noise(own + ".weight", {channels, layer == 1 ? base_channels : channels, 3, 3}, 0.1f);
        add_far_biases(builder, own + ".bias", channels);
    }
    builder.noise(name + "output.weight", {3, channels}, 3.0f);
    builder.noise(name + "output.bias", {3}, 1.0f);
}

/// Two coarse segments, a refinement of every third vertex, and the last two vertices as a rigid part.
void add_face_maps(Builder& builder, const Sizes& sizes) {
    std::vector<std::int32_t> vertex, column, offset{0}, input_offset{0};
    std::vector<float> uv, weight;
    for (int s = 0; s < 3; ++s) {
        for (int k = 0; k < sizes.vertices - 2; ++k) {
            if (s < 2 ? k % 2 != s : k % 3 != 0) continue;
            vertex.push_back(k);
            weight.push_back(s < 2 ? 1.0f : 0.5f);
            for (int axis = 0; axis < 2; ++axis) uv.push_back(static_cast<float>(builder.below(101)) / 100.0f);
        }
        for (int i = 0; i < 4 + s; ++i) column.push_back(builder.below(12 * sizes.joints + 1));
        offset.push_back(static_cast<std::int32_t>(vertex.size()));
        input_offset.push_back(static_cast<std::int32_t>(column.size()));
        add_map_network(builder, sizes, "segment.00" + std::to_string(s) + ".", 4 + s, s < 2 ? 1 : 2);
    }
    builder.list<std::int32_t>("segments.level", {0, 0, 1});
    builder.list("segments.offset", offset);
    builder.list("segments.vertex", vertex);
    builder.file.add("segments.uv", {static_cast<std::int64_t>(vertex.size()), 2}, uv.data());
    builder.list("segments.weight", weight);
    builder.list("inputs.offset", input_offset);
    builder.list("inputs.column", column);
    builder.list<std::int32_t>("parts.offset", {0, 2});
    builder.list<std::int32_t>("parts.vertex", {sizes.vertices - 2, sizes.vertices - 1});
    builder.file.add("parts.follower", {1, 4}, std::vector<std::int32_t>{0, 2, 3, 1}.data());
}

/// A strip of triangles, solved in a factorized form, or rows of a folded one. Three anchor networks.
void add_differential(Builder& builder, const Sizes& sizes, bool is_folded) {
    const std::int64_t vertices = sizes.vertices, components = sizes.components, h = sizes.hidden;
    std::vector<std::int32_t> corner, every, column;
    for (int f = 0; f < sizes.vertices - 2; ++f) corner.insert(corner.end(), {f, f + 1, f + 2, -1});
    for (int k = 0; k < sizes.vertices; ++k) every.push_back(k);
    for (int i = 0; i < 9; ++i) column.push_back(builder.below(12 * sizes.joints + 1));
    if (is_folded) {
        builder.noise("folded.basis", {3 * vertices, components}, 0.1f);
        builder.noise("folded.anchor", {vertices, 4}, 0.2f);
        builder.noise("folded.constant", {3 * vertices}, 1.0f);
    } else {
        builder.file.add("solve.faces", {vertices - 2, 4}, corner.data());
        builder.list("solve.vertex", every);
        builder.noise("delta.basis", {3 * vertices, components}, 0.1f);
        builder.noise("delta.mean", {3 * vertices}, 0.1f);
        builder.list<std::int32_t>("anchors.vertex", {0, 1, sizes.vertices / 2, sizes.vertices - 1});
        builder.list<float>("anchors.weight", {1.0f, 0.5f, 2.0f, 1.0f});
    }
    builder.list("inputs.column", column);
    builder.noise("network.layer1.weight", {h, 9}, 0.1f);
    builder.noise("network.layer1.bias", {h}, 2.0f);
    builder.noise("network.layer2.weight", {components, h}, 0.2f);
    builder.noise("network.layer2.bias", {components}, 0.2f);
    builder.list<std::int32_t>("anchors.offset", {0, 1, 3, 4});
    builder.list<std::int32_t>("anchors.input.offset", {0, 4, 4, 9});
    builder.list("anchors.column", column);
    builder.noise("anchors.layer1.weight", {9, h}, 0.1f);
    builder.noise("anchors.layer1.bias", {3, h}, 2.0f);
    builder.noise("anchors.layer2.weight", {12, h}, 0.2f);
    builder.noise("anchors.layer2.bias", {12}, 0.2f);
    add_skin(builder, sizes);
}

/// Each of eight shapes and six corrections moves a run of vertices of its own, which overlap.
constexpr int shapes = 8, corrections = 6;

void add_factors(Builder& builder) {
    std::vector<std::int32_t> offset{0}, shape;
    std::vector<float> tent;
    for (int c = 0; c < corrections; ++c) {
        for (int i = 0; i <= c % 4; ++i) {
            shape.push_back((c + 2 * i) % shapes);
            const bool tented = c % 4 == 0 || i == 2;
            for (const float x : {0.0f, 0.5f, 1.25f}) tent.push_back(tented ? x : 0.0f);
        }
        offset.push_back(static_cast<std::int32_t>(shape.size()));
    }
    builder.list("blendshape.factor.offset", offset);
    builder.list("blendshape.factor.shape", shape);
    builder.file.add("blendshape.factor.tent", {static_cast<std::int64_t>(shape.size()), 3}, tent.data());
}

void add_blendshapes(Builder& builder, const Sizes& sizes, bool half) {
    builder.noise("rest_vertices", {sizes.vertices, 3}, 1.0f);
    builder.file.add<std::int32_t>("faces", {0, 4}, nullptr);
    std::vector<float> bounds;
    for (int k = 0; k < shapes; ++k) bounds.insert(bounds.end(), {0.0f, 1.0f});
    builder.file.add("control_ranges", {shapes, 2}, bounds.data());
    add_factors(builder);
    std::vector<std::int32_t> offset{0}, vertex, columns;
    std::int64_t numbers = 0;
    for (int v = 0; v < sizes.vertices; ++v) {
        std::int32_t bits = 0;
        for (int n = 0; n < shapes + corrections; ++n) {
            const int start = n * sizes.vertices / 20, end = start + sizes.vertices / 3;
            if (v >= start && v < end) bits |= 1 << n;
        }
        if (bits == 0) continue;  // still
        numbers += 3 * std::popcount(static_cast<std::uint32_t>(bits));
        if (columns.empty() || columns.back() != bits || v % 512 == 0) {
            if (!vertex.empty()) offset.push_back(static_cast<std::int32_t>(vertex.size()));
            columns.push_back(bits);
        }
        vertex.push_back(v);
    }
    offset.push_back(static_cast<std::int32_t>(vertex.size()));
    builder.list("blendshape.group.offset", offset);
    builder.list("blendshape.group.vertex", vertex);
    builder.file.add("blendshape.group.columns", {static_cast<std::int64_t>(columns.size()), 1}, columns.data());
    if (!half) return builder.noise("blendshape.delta", {numbers}, 1.0f);
    std::vector<std::int32_t> pairs;
    for (std::int64_t i = 0; i < (numbers + 1) / 2; ++i) pairs.push_back(builder.below(1 << 30));
    builder.list("blendshape.delta16", pairs);
    builder.list("blendshape.scale", std::vector<float>(shapes + corrections, 1e-4f));
}

std::string metadata(const std::string& kind, const Sizes& sizes) {
    if (kind == "blendshape") {
        return R"({"kind": "blendshape", "version": 1, "joint_names": [], "numeric_controls":)"
               R"( ["a", "b", "c", "d", "e", "f", "g", "h"], "meters_per_unit": 1.0, "up_axis": "Y"})";
    }
    std::string names;
    for (int j = 0; j < sizes.joints; ++j) names += (j ? ", \"joint" : "\"joint") + std::to_string(j) + "\"";
    const std::string range = R"("low": -90, "high": 90.5, "rest": 0)";
    const std::string turn = R"("joint": "joint0", "unit": "degrees", )" + range;
    const std::string channels =
        R"({"list": [{"name": "x", "kind": "rotate_x", "place": 1, )" + turn +
        R"(}, {"name": "y", "kind": "rotate_y", "place": 0, )" + turn +
        R"(}, {"name": "t", "kind": "translate_z", "joint": "joint0", "place": 0, "unit": "rig", )" + range +
        R"(}, {"name": "dial", "kind": "dial", "joint": null, "place": 0, "unit": "", "whole": true, )" + range +
        R"(}], "followers": [{"joint": "joint0", "channel": "x", "axis": "z", "place": 2, "factor": -1}], "joints": {}})";
    return R"({"kind": ")" + kind + R"(", "version": 1, "channels": )" + channels + R"(, "joint_names": [)" + names +
           R"(], "numeric_controls": ["dial"], "iterations": 3, "step": 0.5, "laplacian": "D - A", "meters_per_unit": 1.0, "up_axis": "Y"})";
}

}  // namespace

TensorFile random_model(const std::string& kind, const Sizes& sizes, std::uint64_t seed) {
    Builder builder(seed);
    builder.file.set_metadata(metadata(kind, sizes));
    if (kind == "blendshape") {
        add_blendshapes(builder, sizes, seed % 2 == 0);
        return std::move(builder.file);
    }
    add_character(builder, sizes);
    if (kind == "body") {
        add_sets(builder, sizes);
    } else if (kind == "regression") {
        add_regression(builder, sizes);
    } else if (kind == "regressed_skinning") {
        add_regressed_skinning(builder, sizes);
    } else if (kind == "direct_delta_mush") {
        add_direct_delta_mush(builder, sizes);
    } else if (kind == "rotational_regression") {
        add_rotational_regression(builder, sizes);
    } else if (kind == "dense_network") {
        add_dense_network(builder, sizes);
    } else if (kind == "face_maps") {
        add_face_maps(builder, sizes);
    } else if (kind == "differential") {
        add_differential(builder, sizes, seed % 2 == 0);
    } else {
        if (kind == "pose_space") add_pose_space(builder, sizes);
        add_skin(builder, sizes);
    }
    return std::move(builder.file);
}

std::vector<float> random_poses(const Sizes& sizes, int frames, std::uint64_t seed) {
    Builder builder(seed);
    std::vector<float> poses;
    for (int t = 0; t < frames; ++t) {
        const std::vector<float> row = transforms(builder, sizes.joints);
        poses.insert(poses.end(), row.begin(), row.end());
        poses.push_back(builder.normal());
    }
    return poses;
}

}  // namespace rigcast::checks
