#include "model_reader.h"

#include <memory>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "registry/make_model.h"

namespace rigwright::checks {
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

}  // namespace

bool read_model(std::span<const std::byte> bytes) {
    std::shared_ptr<rig::Deformer> model;
    try {
        model = make_model(std::make_shared<const TensorFile>(TensorFile::parse(bytes, "fuzz")));
    } catch (const ArgumentError&) {
        return false;
    }
    const rig::Character& character = model->character();
    TensorFile::parse(character.tensors->serialize(), "round trip");
    const std::int64_t count = character.num_vertices(), controls = character.num_controls();
    std::vector<float> pose(controls), vertices(3 * count), cotangents(3 * count, 1.0f), gradient(controls);
    const auto rest = character.skeleton.rest();
    std::copy(rest.begin(), rest.end(), pose.begin());
    const View<const float, 2> poses{pose.data(), {1, controls}};
    float confidence = 0.0f;
    through_channels(character);
    try {
        model->evaluate(poses, {vertices.data(), {1, count, 3}}, 1);
        model->vjp(poses, {cotangents.data(), {1, count, 3}}, {gradient.data(), {1, controls}}, 1);
        model->confidence(poses, {&confidence, {1}});
    } catch (const ArgumentError& error) {  // numbers so large that vertices or gradients overflow
        if (std::string_view(error.what()).find("overflow") == std::string_view::npos) throw;
        return false;
    }
    return true;
}

}  // namespace rigwright::checks
