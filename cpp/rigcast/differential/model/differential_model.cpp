#include "rigcast/differential/model/differential_model.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/rig/offsets.h"
#include "rigcast/rig/restricted.h"

namespace rigcast::differential {
namespace {

std::string layer_name(const char* networks, std::size_t layer) {
    return std::string(networks) + ".layer" + std::to_string(layer);
}

std::size_t count_layers(const TensorFile& file, const char* networks) {
    std::size_t count = 0;
    while (file.contains(layer_name(networks, count + 1) + ".weight")) ++count;
    return std::max<std::size_t>(count, 1);  // a missing first layer is named when it is read
}

ReluNetworks read_network(const rig::Character& character) {
    const TensorFile& file = *character.tensors;
    std::vector<View<const float, 2>> weights;
    std::vector<View<const float, 1>> biases;
    for (std::size_t i = 1; i <= count_layers(file, "network"); ++i) {
        weights.push_back(file.get<float, 2>(layer_name("network", i) + ".weight"));
        biases.push_back(file.get<float, 1>(layer_name("network", i) + ".bias"));
    }
    ReluNetworks networks;
    networks.add("network", file.get<std::int32_t, 1>("inputs.column"), character.num_controls(), weights, biases,
                 in_16_bits(file));
    return networks;
}

/// The layers of all anchor networks, from which those of one network are cut.
class AnchorLayers {
public:
    AnchorLayers(const TensorFile& file, std::int64_t num_anchors) {
        column_ = file.get<std::int32_t, 1>("anchors.column");
        const std::int64_t count = file.get<std::int32_t, 1>("anchors.offset").extent(0) - 1;
        if (count < 0) throw bad_argument("load", "anchors.offset", "empty", "one number per network and one more");
        offset_ = rig::read_offsets(file, "anchors.offset", count, num_anchors);
        input_offset_ = rig::read_offsets(file, "anchors.input.offset", count, column_.extent(0));
        const std::size_t layers = count_layers(file, "anchors");
        if (layers < 2) throw bad_argument("load", "anchors.layer2.weight", "missing", "there: hidden layers");
        first_ = file.get<float, 2>("anchors.layer1.weight", {column_.extent(0), -1});
        const std::int64_t width = first_.extent(1);
        for (std::size_t i = 1; i < layers; ++i) {
            biases_.push_back(file.get<float, 2>(layer_name("anchors", i) + ".bias", {count, width}));
            if (i > 1) {
                hidden_.push_back(file.get<float, 3>(layer_name("anchors", i) + ".weight", {count, width, width}));
            }
        }
        last_ = file.get<float, 2>(layer_name("anchors", layers) + ".weight", {3 * num_anchors, width});
        last_bias_ = file.get<float, 1>(layer_name("anchors", layers) + ".bias", {3 * num_anchors});
    }

    std::int64_t count() const { return offset_.extent(0) - 1; }

    void add(std::int64_t s, std::int64_t num_controls, bool is_16_bits, ReluNetworks& networks) const {
        const std::int64_t inputs = std::int64_t{input_offset_(s + 1)} - input_offset_(s);
        const std::int64_t outputs = 3 * (std::int64_t{offset_(s + 1)} - offset_(s));
        const std::int64_t width = first_.extent(1);
        std::vector<float> first(static_cast<std::size_t>(width * inputs));  // transposed
        for (std::int64_t i = 0; i < inputs; ++i) {
            for (std::int64_t h = 0; h < width; ++h) first[h * inputs + i] = first_(input_offset_(s) + i, h);
        }
        std::vector<View<const float, 2>> weights{{first.data(), {width, inputs}}};
        std::vector<View<const float, 1>> biases;
        for (const auto& layer : hidden_) weights.emplace_back(layer.row(s), std::array{width, width});
        for (const auto& layer : biases_) biases.emplace_back(layer.row(s), std::array{width});
        weights.emplace_back(last_.row(3 * std::int64_t{offset_(s)}), std::array{outputs, width});
        biases.emplace_back(last_bias_.data() + 3 * std::int64_t{offset_(s)}, std::array{outputs});
        networks.add("anchors", {column_.data() + input_offset_(s), {inputs}}, num_controls, weights, biases,
                     is_16_bits);
    }

private:
    View<const std::int32_t, 1> column_, offset_, input_offset_;
    View<const float, 2> first_, last_;
    View<const float, 1> last_bias_;
    std::vector<View<const float, 3>> hidden_;
    std::vector<View<const float, 2>> biases_;
};

ReluNetworks read_anchor_networks(const rig::Character& character, std::int64_t num_anchors) {
    const AnchorLayers layers(*character.tensors, num_anchors);
    ReluNetworks networks;
    for (std::int64_t s = 0; s < layers.count(); ++s) {
        layers.add(s, character.num_controls(), in_16_bits(*character.tensors), networks);
    }
    return networks;
}

}  // namespace

DifferentialModel::DifferentialModel(std::shared_ptr<const TensorFile> tensors)
    : Deformer(std::move(tensors)), network_(read_network(character())), tail_(read_tail(character())) {
    if (network_.num_outputs() != tail_->num_coefficients()) {
        throw bad_argument("load", "the network's last layer", std::to_string(network_.num_outputs()) + " wide",
                           std::to_string(tail_->num_coefficients()) + " wide: the components of the basis");
    }
    anchors_ = read_anchor_networks(character(), tail_->num_anchors());
    const TensorFile& file = *character().tensors;
    if (file.contains("skin.joint") || file.contains("skin.weight")) skin_.emplace(character());
    if (rig::BaseShapes::are_in(file)) {
        base_.emplace(file, character().num_controls(), character().num_vertices(), View<const float, 2>{});
    }
}

float DifferentialModel::storage_error() const {
    return std::max({network_.storage_error(), anchors_.storage_error(), tail_->storage_error()});
}

std::int64_t DifferentialModel::num_bytes() const {
    const std::int64_t own = network_.num_bytes() + anchors_.num_bytes() + tail_->num_bytes();
    return base_ ? own + base_->rig()->num_bytes() : own;
}

std::shared_ptr<rig::Deformer> DifferentialModel::do_restricted(View<const std::int32_t, 1> vertices) const {
    const TensorFile& source = *character().tensors;
    auto result = std::make_shared<TensorFile>(rig::restricted_tensors(
        character(), vertices, {"delta.", "folded.", "solve.", "anchors.vertex", "anchors.weight", "skin.", "base."}));
    tail_->add_restricted(vertices, *result);
    if (skin_) rig::add_skin_rows(source, vertices, result.get());
    if (base_) rig::BaseShapes::add_restricted(source, character().num_controls(), vertices, *result);
    return std::make_shared<DifferentialModel>(std::move(result));
}

std::shared_ptr<DifferentialModel> reduced(const DifferentialModel& model, std::int64_t components) {
    const TensorFile& source = *model.character().tensors;
    if (components < 1 || components > model.num_coefficients()) {
        throw bad_argument("reduced", "components", std::to_string(components),
                           "from 1 to " + std::to_string(model.num_coefficients()));
    }
    const std::string last = layer_name("network", count_layers(source, "network"));
    TensorFile result;
    result.set_metadata(source.metadata_text());
    for (const auto& [name, entry] : source.entries()) {
        std::vector<std::int64_t> shape = entry.shape;
        if (name == last + ".weight" || name == last + ".bias") {  // its first rows
            shape[0] = components;
            result.add(name, shape, source.data(entry));
        } else if (name == "delta.basis" || name == "folded.basis") {  // its first columns
            std::vector<float> columns;
            for (std::int64_t row = 0; row < shape[0]; ++row) {
                const float* begin = source.data(entry) + row * shape[1];
                columns.insert(columns.end(), begin, begin + components);
            }
            shape[1] = components;
            result.add(name, shape, columns.data());
        } else {
            result.add(name, source, entry);
        }
    }
    return std::make_shared<DifferentialModel>(std::make_shared<const TensorFile>(std::move(result)));
}

std::shared_ptr<DifferentialModel> with_entry(const DifferentialModel& model, const std::string& key,
                                              const std::string& value) {
    const TensorFile& source = *model.character().tensors;
    if (key == "tail" && !source.contains("delta.basis")) {
        throw bad_argument("with_tail", "the model", "a restricted one, which is folded", "a whole one");
    }
    nlohmann::json metadata = nlohmann::json::parse(source.metadata_text());
    metadata[key] = value;
    TensorFile result;
    result.set_metadata(metadata.dump());
    for (const auto& [name, entry] : source.entries()) result.add(name, source, entry);
    return std::make_shared<DifferentialModel>(std::make_shared<const TensorFile>(std::move(result)));
}

}  // namespace rigcast::differential
