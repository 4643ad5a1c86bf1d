#include "rigcast/baseline/models/dense_networks.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "rigcast/core/error.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/network/split_memory.h"
#include "rigcast/rig/offsets.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::baseline {
namespace {

using network::Activation;
using network::Dense;
using network::dense_kernels;
using network::Rows;

constexpr int frames_per_batch = 8;  // which share one pass over the weights; chosen, not tuned

std::string network_name(std::int64_t index) {
    char text[40];
    std::snprintf(text, sizeof(text), "network.%03lld.", static_cast<long long>(index));
    return text;
}

View<const std::int32_t, 1> part(const TensorFile& tensors, const char* values, const char* offsets,
                                 std::int64_t index) {
    const auto offset = tensors.get<std::int32_t, 1>(offsets);
    return {tensors.get<std::int32_t, 1>(values).data() + offset(index),
            {std::int64_t{offset(index + 1)} - offset(index)}};
}

void check_indices(const char* name, View<const std::int32_t, 1> values, std::int64_t limit, const char* what) {
    for (const std::int32_t value : values) {
        if (value < 0 || value >= limit) {
            throw bad_argument("load", name, "holding " + std::to_string(value),
                               std::string(what) + " below " + std::to_string(limit));
        }
    }
}

void check_unique(View<const std::int32_t, 1> vertices, std::int64_t num_vertices) {
    std::vector<bool> seen(static_cast<std::size_t>(num_vertices));
    for (const std::int32_t v : vertices) {
        if (seen[v]) throw bad_argument("load", "networks.vertex", "holding " + std::to_string(v) + " twice", "unique");
        seen[v] = true;
    }
}

/// The larger of a width and the padded ones that a layer reads and writes.
std::size_t widest(std::size_t width, const Dense& layer) {
    return std::max<std::size_t>(
        {width, static_cast<std::size_t>(layer.padded_inputs()), static_cast<std::size_t>(layer.padded())});
}

}  // namespace

/// The rows of `frames` poses: inputs, hidden layers and outputs.
struct DenseNetworks::Memory {
    Memory(float* memory, const DenseNetworks& model, int frames) {
        std::size_t narrow = 0, wide = 0;
        for (const Segment& segment : model.segments_) {
            narrow = widest(widest(narrow, segment.layer[0]), segment.layer[1]);
            wide = std::max<std::size_t>(wide, segment.layer[2].padded());
        }
        network::SplitMemory split(memory);
        const auto rows = [&](std::size_t width) {
            return Rows<float>(split.take(width * frames), static_cast<std::int64_t>(width));
        };
        inputs = rows(narrow);
        hidden1 = rows(narrow);
        hidden2 = rows(narrow);
        outputs = rows(wide);
        size = split.used();
    }
    Rows<float> inputs;
    Rows<float> hidden1;
    Rows<float> hidden2;
    Rows<float> outputs;
    std::size_t size;
};

DenseNetworks::DenseNetworks(std::shared_ptr<const TensorFile> tensors)
    : ForwardOnly(std::move(tensors)),
      mean_(character().tensors->get<float, 1>("mean", {3 * character().num_vertices()})) {
    const TensorFile& file = *character().tensors;
    const auto vertex = file.get<std::int32_t, 1>("networks.vertex");
    const auto column = file.get<std::int32_t, 1>("inputs.column");
    const std::int64_t count = file.get<std::int32_t, 1>("networks.offset").extent(0) - 1;
    if (count < 0) throw bad_argument("load", "networks.offset", "empty", "one number per network and one more");
    rig::read_offsets(file, "networks.offset", count, vertex.extent(0));
    rig::read_offsets(file, "inputs.offset", count, column.extent(0));
    check_indices("networks.vertex", vertex, character().num_vertices(), "vertices");
    check_indices("inputs.column", column, character().num_controls(), "pose columns");
    check_unique(vertex, character().num_vertices());
    for (std::int64_t i = 0; i < count; ++i) add_segment(i, mean_);
}

void DenseNetworks::add_segment(std::int64_t index, View<const float, 1> mean) {
    const TensorFile& file = *character().tensors;
    const std::string name = network_name(index);
    Segment segment;
    segment.vertex = part(file, "networks.vertex", "networks.offset", index);
    segment.column = part(file, "inputs.column", "inputs.offset", index);
    if (segment.vertex.extent(0) == 0 || segment.column.extent(0) == 0) {
        throw bad_argument("load", name, "without vertices or inputs", "a network with both");
    }
    const auto first = file.get<float, 2>(name + "layer1.weight", {-1, segment.column.extent(0)});
    const auto second = file.get<float, 2>(name + "layer2.weight", {-1, first.extent(0)});
    const auto last = file.get<float, 2>(name + "layer3.weight", {3 * segment.vertex.extent(0), second.extent(0)});
    const auto first_bias = file.get<float, 1>(name + "layer1.bias", {first.extent(0)});
    const auto second_bias = file.get<float, 1>(name + "layer2.bias", {second.extent(0)});
    if (first.extent(0) == 0 || second.extent(0) == 0) {
        throw bad_argument("load", name, "without hidden units", "of at least one unit per layer");
    }
    std::vector<float> base;
    for (const std::int32_t v : segment.vertex) {
        for (int row = 0; row < 3; ++row) base.push_back(mean(3 * v + row));
    }
    segment.layer[0] = network::pack_dense(first, first_bias, Activation::tanh, packed_);
    segment.layer[1] = network::pack_dense(second, second_bias, Activation::tanh, packed_);
    segment.layer[2] =
        network::pack_dense(last, {base.data(), {static_cast<std::int64_t>(base.size())}}, Activation::none, packed_);
    segments_.push_back(segment);
}

std::size_t DenseNetworks::memory_size(int frames) const {
    return Memory(nullptr, *this, frames).size;
}

/// Computes the inputs and both hidden layers of a segment.
void DenseNetworks::hidden(const Segment& segment, Rows<const float> poses, const Memory& memory, int frames) const {
    for (int t = 0; t < frames; ++t) {
        for (std::int64_t i = 0; i < segment.column.extent(0); ++i) {
            memory.inputs.row(t)[i] = poses.row(t)[segment.column(i)];
        }
    }
    dense_kernels().dense(segment.layer[0], packed_, memory.inputs, memory.hidden1, frames);
    dense_kernels().dense(segment.layer[1], packed_, memory.hidden1, memory.hidden2, frames);
}

void DenseNetworks::do_evaluate(View<const float, 2> poses, View<float, 3> vertices, int threads) const {
    parallel_for(poses.extent(0), frames_per_batch, threads, [&](std::int64_t begin, std::int64_t end) {
        const int frames = static_cast<int>(end - begin);
        const Scratch::Lease<float> lease(memory_size(frames_per_batch));
        const Memory memory(lease.data(), *this, frames_per_batch);
        for (std::int64_t t = begin; t < end; ++t) std::copy(mean_.begin(), mean_.end(), vertices.row(t));
        for (const Segment& segment : segments_) {
            hidden(segment, {poses.row(begin), poses.extent(1)}, memory, frames);
            dense_kernels().dense(segment.layer[2], packed_, memory.hidden2, memory.outputs, frames);
            for (int t = 0; t < frames; ++t) {
                const float* next = memory.outputs.row(t);
                for (const std::int32_t v : segment.vertex) {
                    for (int row = 0; row < 3; ++row) vertices(begin + t, v, row) = *next++;
                }
            }
        }
        for (std::int64_t t = begin; t < end; ++t) {
            rig::check_overflow("evaluate", t, vertices.row(t), 3 * vertices.extent(1));
        }
    });
}

}  // namespace rigcast::baseline
