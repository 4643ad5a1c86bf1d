#include "rigcast/ik/learned/face_ik.h"

#include <algorithm>
#include <cstdio>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"

namespace rigcast::ik {
namespace {

using network::Dense;
using network::Rows;

constexpr std::int64_t frames_per_batch = 16;  // they share the weights that are read; chosen, not tuned

/// The entries begin[i] to begin[i + 1] of a list of indices below `count`, per region.
class Lists {
public:
    Lists(const TensorFile& tensors, const std::string& name, std::int64_t count)
        : list_(tensors.get<std::int32_t, 1>(name)), begin_(tensors.get<std::int32_t, 1>(name + "_offset")) {
        const std::int64_t size = begin_.extent(0);
        bool ordered = size > 0 && begin_(0) == 0 && begin_(size - 1) == list_.extent(0);
        for (std::int64_t i = 1; ordered && i < size; ++i) ordered = begin_(i - 1) <= begin_(i);
        if (!ordered) {
            throw bad_argument("load", name + "_offset", "no list of begins", "ascending from 0 to the list's length");
        }
        for (const std::int32_t index : list_) {
            if (index >= 0 && index < count) continue;
            throw bad_argument("load", name, "holding " + std::to_string(index), "below " + std::to_string(count));
        }
    }

    std::int64_t size() const { return begin_.extent(0) - 1; }
    View<const std::int32_t, 1> operator()(std::int64_t i) const {
        return {list_.data() + begin_(i), {begin_(i + 1) - begin_(i)}};
    }

private:
    View<const std::int32_t, 1> list_;
    View<const std::int32_t, 1> begin_;
};

}  // namespace

FaceIk::FaceIk(std::shared_ptr<const TensorFile> tensors) : tensors_(std::move(tensors)) {
    const Metadata& metadata = tensors_->metadata();
    if (metadata.text("kind") != "face_ik" || metadata.integer("version") != 1) {
        throw bad_argument("load", tensors_->origin(), "of kind '" + metadata.text("kind") + "'",
                           "learned inverse kinematics: of kind 'face_ik', version 1");
    }
    const std::int64_t dimensions = metadata.integer("dimensions");
    if (dimensions != 2 && dimensions != 3) {
        throw bad_argument("load", "metadata.dimensions", std::to_string(dimensions), "2 or 3");
    }
    dimensions_ = static_cast<int>(dimensions);
    rest_points_ = tensors_->get<float, 2>("points.rest", {-1, 3});
    tensors_->get<std::int32_t, 1>("points.vertex", {num_points()});
    rest_ = tensors_->get<float, 1>("parameters.rest");
    bounds_ = tensors_->get<float, 2>("parameters.bounds", {num_parameters(), 2});
    check_finite("load", "points.rest", rest_points_);
    check_finite("load", "parameters.rest", rest_);
    for (std::int64_t k = 0; k < num_parameters(); ++k) {
        if (bounds_(k, 0) <= bounds_(k, 1)) continue;
        throw bad_argument("load", "parameters.bounds", "no range at " + std::to_string(k), "low <= high");
    }
    const Lists points(*tensors_, "regions.point", num_points());
    const Lists parameters(*tensors_, "regions.parameter", num_parameters());
    if (points.size() != parameters.size()) {
        throw bad_argument("load", "regions.parameter_offset", "for another number of regions",
                           "as long as the points'");
    }
    proposers_ = {rest_, bounds_, {}};
    for (std::int64_t i = 0; i < points.size(); ++i) add_region(i, points(i), parameters(i));
    const std::string kind = metadata.contains("agreement") ? metadata.text("agreement") : "average";
    if (kind != "average" && kind != "joint") {
        throw bad_argument("load", "metadata.agreement", "'" + kind + "'", "'average' or 'joint'");
    }
    agreement_ = kind == "joint" ? joint_solve(proposers_, *tensors_) : average(proposers_);
}

void FaceIk::add_region(std::int64_t index, View<const std::int32_t, 1> points,
                        View<const std::int32_t, 1> parameters) {
    Region region{{points.begin(), points.end()}, {}};
    char name[32];
    std::snprintf(name, sizeof name, "region.%03d.", static_cast<int>(index));
    std::int64_t inputs = dimensions_ * points.extent(0);
    for (int i = 0; i < 3; ++i) {
        const std::string layer = name + ("layer" + std::to_string(i + 1));
        const std::int64_t outputs = i < 2 ? -1 : parameters.extent(0);
        const auto weight = tensors_->get<float, 2>(layer + ".weight", {outputs, inputs});
        const auto bias = tensors_->get<float, 1>(layer + ".bias", {weight.extent(0)});
        check_finite("load", (layer + ".weight").c_str(), weight);
        check_finite("load", (layer + ".bias").c_str(), bias);
        region.layers[i] = network::pack_dense(
            weight, bias, i < 2 ? network::Activation::leaky_relu : network::Activation::none, packed_);
        width_ = std::max<std::int64_t>({width_, region.layers[i].padded(), region.layers[i].padded_inputs()});
        inputs = weight.extent(0);
    }
    proposers_.regions.emplace_back(parameters.begin(), parameters.end());
    regions_.push_back(std::move(region));
}

void FaceIk::solve(View<const float, 3> points, View<float, 2> parameters, int threads) const {
    check_shape<const float, 3>("solve", "targets", points, {-1, num_points(), dimensions_});
    check_shape<float, 2>("solve", "parameters", parameters, {points.extent(0), num_parameters()});
    check_finite("solve", "targets", points);
    parallel_for(points.extent(0), frames_per_batch, threads,
                 [&](std::int64_t begin, std::int64_t end) { solve_frames(points, begin, end - begin, parameters); });
}

void FaceIk::solve_frames(View<const float, 3> points, std::int64_t first, std::int64_t count,
                          View<float, 2> parameters) const {
    const std::int64_t size = proposers_.num_proposals();
    const Scratch::Lease<float> memory(static_cast<std::size_t>(count * (2 * width_ + size)));
    const Rows<float> even{memory.data(), width_};
    const Rows<float> odd{even.row(count), width_};
    const int frames = static_cast<int>(count);
    float* proposed = odd.row(count);
    std::int64_t column = 0;
    for (std::size_t r = 0; r < regions_.size(); ++r) {
        const Region& region = regions_[r];
        const auto outputs = static_cast<std::int64_t>(proposers_.regions[r].size());
        for (std::int64_t t = 0; t < count; ++t) {
            float* x = even.row(t);
            for (const std::int32_t point : region.points) {
                const float* given = points.row(first + t) + dimensions_ * point;
                for (int axis = 0; axis < dimensions_; ++axis) *x++ = given[axis] - rest_points_(point, axis);
            }
            std::fill(x, even.row(t) + region.layers[0].padded_inputs(), 0.0f);
        }
        network::dense_kernels().dense(region.layers[0], packed_, even, odd, frames);
        network::dense_kernels().dense(region.layers[1], packed_, odd, even, frames);
        network::dense_kernels().dense(region.layers[2], packed_, even, odd, frames);
        for (std::int64_t t = 0; t < count; ++t) {
            std::copy_n(odd.row(t), outputs, proposed + t * size + column);
        }
        column += outputs;
    }
    agreement_->settle({proposed, {count, size}}, {parameters.row(first), {count, num_parameters()}});
}

}  // namespace rigcast::ik
