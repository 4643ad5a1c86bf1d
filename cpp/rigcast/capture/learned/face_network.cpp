#include "rigcast/capture/learned/face_network.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"

namespace rigcast::capture {
namespace {

using network::Activation;
using network::Map;
using network::TexelRun;

/// All texels of an R x R map.
std::vector<TexelRun> whole(int resolution) {
    std::vector<TexelRun> runs;
    for (int row = 0; row < resolution; ++row) runs.push_back({row, 0, resolution});
    return runs;
}

std::size_t floats_of(int resolution, int channels) {
    return Scratch::padded(static_cast<std::size_t>(resolution + 2) * (resolution + 2) *
                           network::padded_channels(channels));
}

/// y += x in the first `channels`.
void add(Map<const float> x, int channels, Map<float> y) {
    for (int row = 0; row < y.resolution; ++row) {
        for (int column = 0; column < y.resolution; ++column) {
            const float* from = x.texel(row, column);
            float* to = y.texel(row, column);
            for (int c = 0; c < channels; ++c) to[c] += from[c];
        }
    }
}

/// Means of 2 x 2 texels.
void halve(Map<const float> x, int channels, Map<float> y) {
    for (int row = 0; row < y.resolution; ++row) {
        for (int column = 0; column < y.resolution; ++column) {
            const float* upper = x.texel(2 * row, 2 * column);
            const float* lower = x.texel(2 * row + 1, 2 * column);
            float* to = y.texel(row, column);
            for (int c = 0; c < channels; ++c) {
                to[c] = 0.25f * (upper[c] + upper[x.stride + c] + lower[c] + lower[x.stride + c]);
            }
        }
    }
}

}  // namespace

/// The maps of one picture, in memory that the caller leases.
struct FaceNetwork::Maps {
    static std::size_t floats(const FaceNetwork& of) {
        const int full = static_cast<int>(of.size_) / 2, half = full / 2, quarter = half / 2;
        return 2 * floats_of(full, of.conv1_.outputs) + floats_of(full, of.conv1_.inputs) +
               floats_of(full, of.up2_.outputs) + floats_of(full, of.heat_.outputs) +
               3 * floats_of(half, of.conv3_.outputs) + floats_of(half, of.conv3_.inputs) +
               2 * floats_of(quarter, of.conv5_.outputs) + floats_of(quarter, of.conv5_.inputs) +
               floats_of(quarter, of.conv7_.outputs) +
               Scratch::padded(static_cast<std::size_t>(of.dense1_.padded_inputs())) +
               Scratch::padded(static_cast<std::size_t>(of.dense1_.padded())) +
               Scratch::padded(static_cast<std::size_t>(of.dense2_.padded())) +
               Scratch::padded(static_cast<std::size_t>(of.points_.padded_inputs())) +
               Scratch::padded(static_cast<std::size_t>(of.points_.padded()));
    }

    Maps(const FaceNetwork& of, float* memory) : next_(memory) {
        const int full = static_cast<int>(of.size_) / 2, half = full / 2, quarter = half / 2;
        folded = map(full, of.conv1_.inputs);
        a1 = map(full, of.conv1_.outputs);
        a = map(full, of.conv1_.outputs);
        b0 = map(half, of.conv3_.inputs);
        b1 = map(half, of.conv3_.outputs);
        b = map(half, of.conv3_.outputs);
        c0 = map(quarter, of.conv5_.inputs);
        c1 = map(quarter, of.conv5_.outputs);
        c = map(quarter, of.conv5_.outputs);
        last = map(quarter, of.conv7_.outputs);
        up1 = map(half, of.up1_.outputs);
        up2 = map(full, of.up2_.outputs);
        heat = map(full, of.heat_.outputs);
        seen = row(of.dense1_.padded_inputs());
        hidden = row(of.dense1_.padded());
        result = row(of.dense2_.padded());
        motion = row(of.points_.padded_inputs());
        moved = row(of.points_.padded());
    }

    Map<float> folded, a1, a, b0, b1, b, c0, c1, c, last, up1, up2, heat;
    float *seen, *hidden, *result, *motion, *moved;

private:
    Map<float> map(int resolution, int channels) {
        const Map<float> made(next_, resolution, network::padded_channels(channels));
        next_ += floats_of(resolution, channels);
        network::clear_border(made);
        return made;
    }
    float* row(int count) {
        float* made = next_;
        next_ += Scratch::padded(static_cast<std::size_t>(count));
        std::fill(made, next_, 0.0f);
        return made;
    }

    float* next_;
};

FaceNetwork::FaceNetwork(std::shared_ptr<const TensorFile> tensors) : tensors_(std::move(tensors)) {
    const Metadata& metadata = tensors_->metadata();
    if (metadata.text("kind") != "capture_network" || metadata.integer("version") != 1) {
        throw bad_argument("load", tensors_->origin(), "of kind '" + metadata.text("kind") + "'",
                           "a network that reads faces: of kind 'capture_network', version 1");
    }
    size_ = metadata.integer("size");
    if (size_ < 16 || size_ > largest_size || size_ % 16 != 0) {
        throw bad_argument("load", "metadata.size", std::to_string(size_), "a multiple of 16 up to 256");
    }
    conv1_ = convolution("conv1", 24, -1);
    conv2_ = convolution("conv2", conv1_.outputs, conv1_.outputs);
    conv3_ = convolution("conv3", conv1_.outputs, -1);
    conv4_ = convolution("conv4", conv3_.outputs, conv3_.outputs);
    conv5_ = convolution("conv5", conv3_.outputs, -1);
    conv6_ = convolution("conv6", conv5_.outputs, conv5_.outputs);
    conv7_ = convolution("conv7", conv5_.outputs, -1);
    up1_ = convolution("up1", conv5_.outputs, conv3_.outputs);
    up2_ = convolution("up2", conv3_.outputs, conv1_.outputs);
    heat_ = convolution("heat", conv1_.outputs, -1);
    const auto spread = tensors_->get<float, 2>("heat.spread", {heat_.outputs, 2});
    check_finite("load", "heat.spread", spread);
    for (const float logarithm : spread) spread_.push_back(std::exp(static_cast<double>(logarithm)));
    if (tensors_->contains("points.weight")) points_ = dense("points", -1, -1, Activation::leaky_relu);
    if (points_.inputs % 2 != 0) {
        throw bad_argument("load", "points.weight", "of an odd number of inputs", "two for each point");
    }
    const std::int64_t texels = (size_ / 8) * (size_ / 8);
    dense1_ = dense("dense1", conv7_.outputs * texels + points_.outputs, -1, Activation::leaky_relu);
    dense2_ = dense("dense2", dense1_.outputs, -1, Activation::none);
}

network::Convolution FaceNetwork::convolution(const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    const auto weight = tensors_->get<float, 4>(name + ".weight", {outputs, inputs, 3, 3});
    const auto bias = tensors_->get<float, 1>(name + ".bias", {weight.extent(0)});
    if (weight.extent(0) < 1 || weight.extent(0) > most_channels) {
        throw bad_argument("load", name + ".weight", std::to_string(weight.extent(0)) + " channels", "1 to 1024");
    }
    check_finite("load", (name + ".weight").c_str(), weight);
    check_finite("load", (name + ".bias").c_str(), bias);
    network::Packed reverse;  // for derivatives: not kept
    return network::pack_convolution(weight, bias, name == "up1" || name == "up2", packed_, reverse);
}

network::Dense FaceNetwork::dense(const std::string& name, std::int64_t inputs, std::int64_t outputs,
                                  Activation activation) {
    const auto weight = tensors_->get<float, 2>(name + ".weight", {outputs, inputs});
    const auto bias = tensors_->get<float, 1>(name + ".bias", {weight.extent(0)});
    check_finite("load", (name + ".weight").c_str(), weight);
    check_finite("load", (name + ".bias").c_str(), bias);
    return network::pack_dense(weight, bias, activation, packed_);
}

void FaceNetwork::read(View<const std::uint8_t, 4> pictures, View<const std::uint8_t, 4> neutrals,
                       View<const float, 2> motion, const Reading& reading, int threads) const {
    const std::int64_t frames = pictures.extent(0), landmarks = num_landmarks();
    const bool one = neutrals.extent(0) == 1;
    check_shape<const std::uint8_t, 4>("read", "pictures", pictures, {-1, size_, size_, 3});
    check_shape<const std::uint8_t, 4>("read", "neutrals", neutrals, {one ? 1 : frames, size_, size_, 3});
    check_shape<const float, 2>("read", "motion", motion, {frames, 2 * num_points()});
    check_shape<float, 2>("read", "weights", reading.weights, {frames, num_weights()});
    check_shape<float, 3>("read", "landmarks", reading.landmarks, {frames, landmarks, 2});
    check_shape<float, 3>("read", "covariance", reading.covariance, {frames, landmarks, 3});
    parallel_for(frames, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
            read_frame(pictures.row(t), neutrals.row(one ? 0 : t), motion.row(t), reading.weights.row(t),
                       reading.landmarks.row(t), reading.covariance.row(t));
        }
    });
}

void FaceNetwork::read_frame(const std::uint8_t* picture, const std::uint8_t* neutral, const float* motion,
                             float* weights, float* landmarks, float* covariance) const {
    const Scratch::Lease<float> memory(Maps::floats(*this));
    Maps maps(*this, memory.data());
    draw(picture, neutral, maps);
    read_weights(maps, motion, weights);
    read_landmarks(maps, landmarks, covariance);
}

void FaceNetwork::convolve(const network::Convolution& layer, Map<const float> x, Map<float> y) const {
    network::Ahead nothing;
    network::convolution_kernels().forward(layer, packed_, x, whole(y.resolution), y, nothing);
}

void FaceNetwork::draw(const std::uint8_t* picture, const std::uint8_t* neutral, Maps& maps) const {
    const std::int64_t numbers = 3 * size_ * size_;
    const auto sum = std::accumulate(neutral, neutral + numbers, std::int64_t{0});
    const float level = std::max(static_cast<float>(sum) / static_cast<float>(numbers), 1.0f);
    for (std::int64_t row = 0; row < size_; ++row) {
        for (std::int64_t column = 0; column < size_; ++column) {
            const std::int64_t at = 3 * (row * size_ + column);
            float* to =
                maps.folded.texel(static_cast<int>(row / 2), static_cast<int>(column / 2)) + 2 * (row % 2) + column % 2;
            for (int c = 0; c < 3; ++c) {
                const float x = static_cast<float>(picture[at + c]) / level - 1.0f;
                const float n = static_cast<float>(neutral[at + c]) / level - 1.0f;
                to[4 * c] = x - n;
                to[4 * (c + 3)] = n;
            }
        }
    }
    convolve(conv1_, maps.folded, maps.a1);
    convolve(conv2_, maps.a1, maps.a);
    add(maps.a1, conv1_.outputs, maps.a);
    halve(maps.a, conv3_.inputs, maps.b0);
    convolve(conv3_, maps.b0, maps.b1);
    convolve(conv4_, maps.b1, maps.b);
    add(maps.b1, conv3_.outputs, maps.b);
    halve(maps.b, conv5_.inputs, maps.c0);
    convolve(conv5_, maps.c0, maps.c1);
    convolve(conv6_, maps.c1, maps.c);
    add(maps.c1, conv5_.outputs, maps.c);
}

void FaceNetwork::read_weights(Maps& maps, const float* motion, float* weights) const {
    convolve(conv7_, maps.c, maps.last);
    const int side = maps.last.resolution, texels = side * side;
    for (int t = 0; t < texels; ++t) {
        const float* from = maps.last.texel(t / side, t % side);
        for (int channel = 0; channel < conv7_.outputs; ++channel) maps.seen[channel * texels + t] = from[channel];
    }
    const auto& kernels = network::dense_kernels();
    const bool known = std::all_of(motion, motion + points_.inputs, [](float x) { return std::isfinite(x); });
    if (points_.inputs > 0 && known) {
        std::copy_n(motion, points_.inputs, maps.motion);
        kernels.dense(points_, packed_, {maps.motion, points_.padded_inputs()}, {maps.moved, points_.padded()}, 1);
        std::copy_n(maps.moved, points_.outputs, maps.seen + std::int64_t{conv7_.outputs} * texels);
    }
    kernels.dense(dense1_, packed_, {maps.seen, dense1_.padded_inputs()}, {maps.hidden, dense1_.padded()}, 1);
    kernels.dense(dense2_, packed_, {maps.hidden, dense1_.padded()}, {maps.result, dense2_.padded()}, 1);
    std::copy_n(maps.result, dense2_.outputs, weights);
}

void FaceNetwork::read_landmarks(Maps& maps, float* landmarks, float* covariance) const {
    convolve(up1_, maps.c, maps.up1);
    add(maps.b, up1_.outputs, maps.up1);
    convolve(up2_, maps.up1, maps.up2);
    add(maps.a, up2_.outputs, maps.up2);
    convolve(heat_, maps.up2, maps.heat);
    const int side = maps.heat.resolution;
    for (int p = 0; p < heat_.outputs; ++p) {
        float largest = maps.heat.texel(0, 0)[p];
        for (int t = 0; t < side * side; ++t) largest = std::max(largest, maps.heat.texel(t / side, t % side)[p]);
        double sum = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
        for (int t = 0; t < side * side; ++t) {
            const double share = std::exp(static_cast<double>(maps.heat.texel(t / side, t % side)[p] - largest));
            const double u = (t % side + 0.5) / side, v = (t / side + 0.5) / side;
            sum += share;
            x += share * u;
            y += share * v;
            xx += share * u * u;
            xy += share * u * v;
            yy += share * v * v;
        }
        x /= sum;
        y /= sum;
        landmarks[2 * p] = static_cast<float>(x);
        landmarks[2 * p + 1] = static_cast<float>(y);
        const double scale = spread_[2 * static_cast<std::size_t>(p)],
                     least = spread_[2 * static_cast<std::size_t>(p) + 1];
        covariance[3 * p] = static_cast<float>(scale * (xx / sum - x * x) + least);
        covariance[3 * p + 1] = static_cast<float>(scale * (xy / sum - x * y));
        covariance[3 * p + 2] = static_cast<float>(scale * (yy / sum - y * y) + least);
    }
}

}  // namespace rigcast::capture
