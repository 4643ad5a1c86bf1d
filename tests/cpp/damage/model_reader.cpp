#include "model_reader.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "random_model.h"
#include "rigcast/core/error.h"
#include "rigcast/registry/make_model.h"
#include "rigcast/rig/session.h"

namespace rigcast::checks {
namespace {

/// Poses of the channels' rest values, and back; both may be refused.
void through_channels(const rig::Character& character) {
    const rig::Channels& channels = character.channels;
    const std::int64_t controls = character.num_controls(), count = channels.size();
    std::vector<double> rest;
    for (const rig::Channel& channel : channels.list()) rest.push_back(channel.rest);
    std::vector<float> pose(controls), found(count);
    float residual = 0.0f;
    try {
        channels.poses({rest.data(), {1, count}}, {pose.data(), {1, controls}});
        channels.channels({pose.data(), {1, controls}}, {found.data(), {1, count}}, {&residual, {1}});
    } catch (const ArgumentError&) {
    }
}

/// The derivatives of a model at a pose, and the Jacobian of two of its vertices.
void differentiate(const rig::Deformer& model, View<const float, 2> poses) {
    const std::int64_t count = model.character().num_vertices(), controls = model.character().num_controls();
    std::vector<float> vertices(3 * count), ones(std::max(3 * count, controls), 1.0f), row(controls);
    model.vjp(poses, {ones.data(), {1, count, 3}}, {row.data(), {1, controls}}, 1);
    model.jvp(poses, {ones.data(), {1, controls}}, {vertices.data(), {1, count, 3}}, 1);
    const std::int32_t ends[2] = {static_cast<std::int32_t>(count - 1), 0};
    const auto part = model.restricted({ends, {2}});
    std::vector<float> jacobian(6 * controls);
    part->jacobian(poses, {jacobian.data(), {1, 6, controls}}, 1);
    TensorFile::parse(part->character().tensors->serialize(), "round trip of a part");
}

/// Everything that a model computes of one pose.
void compute(const std::shared_ptr<const rig::Deformer>& model) {
    const rig::Character& character = model->character();
    const std::int64_t count = character.num_vertices(), controls = character.num_controls();
    std::vector<float> pose(controls), vertices(3 * count);
    const auto rest = character.skeleton.rest();
    std::copy(rest.begin(), rest.end(), pose.begin());
    const View<const float, 2> poses{pose.data(), {1, controls}};
    float confidence = 0.0f;
    model->evaluate(poses, {vertices.data(), {1, count, 3}}, 1);
    model->confidence(poses, {&confidence, {1}});
    through_channels(character);
    rig::Session session(model);
    for (int repeat = 0; repeat < 2; ++repeat) {
        session.evaluate({pose.data(), {controls}}, {vertices.data(), {count, 3}});
        pose.back() *= 0.5f;
    }
    if (has_derivatives(*model)) differentiate(*model, poses);
}

}  // namespace

bool read_model(std::span<const std::byte> bytes) {
    std::shared_ptr<rig::Deformer> model;
    try {
        model = make_model(std::make_shared<const TensorFile>(TensorFile::parse(bytes, "fuzz")));
    } catch (const ArgumentError&) {
        return false;
    }
    TensorFile::parse(model->character().tensors->serialize(), "round trip");
    try {
        compute(model);
    } catch (const ArgumentError& error) {  // numbers so large that vertices or derivatives overflow
        if (std::string_view(error.what()).find("overflow") == std::string_view::npos) throw;
        return false;
    }
    return true;
}

}  // namespace rigcast::checks
