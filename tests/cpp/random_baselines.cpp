#include "random_baselines.h"

namespace rigcast::checks {
namespace {

/// A regression of `outputs` numbers from 4 inputs, made of 6 columns, and their products.
void add_map(Builder& builder, const Sizes& sizes, std::int64_t outputs) {
    std::vector<std::int32_t> column;
    for (int i = 0; i < 6; ++i) column.push_back(builder.below(12 * sizes.joints + 1));
    builder.list("map.column", column);
    builder.noise("map.mean", {6}, 0.2f);
    builder.noise("map.project", {4, 6}, 0.3f);
    builder.noise("map.weight", {outputs, 14}, 0.1f);
    builder.noise("map.bias", {outputs}, 0.1f);
}

}  // namespace

void add_regression(Builder& builder, const Sizes& sizes) {
    add_map(builder, sizes, sizes.components);
    builder.noise("basis", {3 * sizes.vertices, sizes.components}, 0.1f);
    builder.noise("mean", {3 * sizes.vertices}, 1.0f);
}

void add_regressed_skinning(Builder& builder, const Sizes& sizes) {
    constexpr int bones = 3;
    add_map(builder, sizes, 12 * bones);
    std::vector<std::int32_t> bone;
    for (int i = 0; i < 2 * sizes.vertices; ++i) bone.push_back(builder.below(bones));
    const std::vector<float> weight(bone.size(), 0.5f);
    builder.file.add("skin.joint", {sizes.vertices, 2}, bone.data());
    builder.file.add("skin.weight", {sizes.vertices, 2}, weight.data());
    builder.noise("bone.center", {bones, 3}, 1.0f);
    builder.list<std::int32_t>("bone.joint", {-1, 0, builder.below(sizes.joints)});
}

void add_direct_delta_mush(Builder& builder, const Sizes& sizes) {
    std::vector<std::int32_t> joint;
    std::vector<float> matrix;
    for (int i = 0; i < 2 * sizes.vertices; ++i) {
        joint.push_back(builder.below(sizes.joints));
        for (int e = 0; e < 9; ++e) matrix.push_back((e == 0 || e == 4 || e == 7 ? 0.5f : 0.0f) + builder.normal(0.1f));
        matrix.push_back(0.5f);
    }
    builder.file.add("mush.joint", {sizes.vertices, 2}, joint.data());
    builder.file.add("mush.matrix", {sizes.vertices, 2, 10}, matrix.data());
    builder.noise("mush.center", {sizes.vertices, 3}, 1.0f);
}

void add_pose_space(Builder& builder, const Sizes& sizes) {
    constexpr int examples = 3;
    std::vector<std::int32_t> group;
    for (int i = 0; i < 2 * sizes.vertices; ++i) group.push_back(builder.below(2));
    builder.list<std::int32_t>("space.offset", {0, 3, 5});
    builder.list<std::int32_t>("space.column", {0, 13, 12 * sizes.joints, 2, 5});
    builder.noise("space.scale", {5}, 1.0f);
    builder.noise("space.example", {examples, 5}, 0.3f);
    builder.file.add("space.group", {sizes.vertices, 2}, group.data());
    builder.file.add("space.weight", {sizes.vertices, 2}, std::vector<float>(group.size(), 0.5f).data());
    builder.noise("space.delta", {sizes.vertices, examples, 3}, 0.1f);
}

/// Two networks; the last vertex belongs to none.
void add_dense_network(Builder& builder, const Sizes& sizes) {
    const std::int64_t h1 = sizes.hidden, h2 = sizes.hidden + 3;
    const int first = sizes.vertices / 3;
    std::vector<std::int32_t> vertex, column;
    for (int k = 0; k + 1 < sizes.vertices; ++k) vertex.push_back(sizes.vertices - 2 - k);
    for (int i = 0; i < 11; ++i) column.push_back(builder.below(12 * sizes.joints + 1));
    builder.list("networks.vertex", vertex);
    builder.list("inputs.column", column);
    builder.list<std::int32_t>("networks.offset", {0, first, sizes.vertices - 1});
    builder.list<std::int32_t>("inputs.offset", {0, 4, 11});
    builder.noise("mean", {3 * sizes.vertices}, 1.0f);
    for (int i = 0; i < 2; ++i) {
        const std::string name = i == 0 ? "network.000." : "network.001.";
        builder.noise(name + "layer1.weight", {h1, i == 0 ? 4 : 7}, 0.3f);
        builder.noise(name + "layer1.bias", {h1}, 0.2f);
        builder.noise(name + "layer2.weight", {h2, h1}, 0.2f);
        builder.noise(name + "layer2.bias", {h2}, 0.2f);
        builder.noise(name + "layer3.weight", {3 * (i == 0 ? first : sizes.vertices - 1 - first), h2}, 0.1f);
    }
}

/// Every vertex is an anchor.
void add_rotational_regression(Builder& builder, const Sizes& sizes) {
    const std::int64_t vertices = sizes.vertices, faces = vertices - 2;
    std::vector<std::int32_t> corner, bone, joint, every;
    std::vector<float> bias;
    for (int k = 0; k < sizes.vertices; ++k) every.push_back(k);
    for (int f = 0; f < sizes.vertices - 2; ++f) {
        corner.insert(corner.end(), {f, f + 1, f + 2});
        bone.push_back(builder.below(sizes.joints));
        joint.insert(joint.end(), {builder.below(sizes.joints), f % 3 == 0 ? -1 : builder.below(sizes.joints)});
        for (int e = 0; e < 9; ++e) bias.push_back((e == 3 || e == 6 || e == 8 ? 1.0f : 0.0f) + builder.normal(0.1f));
    }
    builder.noise("rotation.rest", {vertices, 3}, 1.0f);
    builder.file.add("rotation.faces", {faces, 3}, corner.data());
    builder.list("rotation.output", every);
    builder.list("rotation.anchor", every);
    builder.list("rotation.bone", bone);
    builder.file.add("rotation.joint", {faces, 2}, joint.data());
    builder.noise("rotation.weight", {faces, 2, 27}, 0.1f);
    builder.file.add("rotation.bias", {faces, 9}, bias.data());
    add_skin(builder, sizes);
}

}  // namespace rigcast::checks
