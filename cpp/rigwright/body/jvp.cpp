#include <algorithm>

#include "rigwright/body/blocks.h"
#include "rigwright/body/body_model.h"
#include "rigwright/core/parallel.h"
#include "rigwright/core/scratch.h"

namespace rigwright::body {
namespace {

constexpr int poses_per_block = 8;  // that are differentiated together

/// Rows that a set and its derivative fill, `count` each.
struct Trace {
    static constexpr int num_rows = 8;

    Trace(float* memory, std::int64_t width, int count)
        : x(memory, width),
          hidden1(x.row(count), width),
          hidden2(hidden1.row(count), width),
          coefficients(hidden2.row(count), width),
          x_tangents(coefficients.row(count), width),
          hidden1_tangents(x_tangents.row(count), width),
          hidden2_tangents(hidden1_tangents.row(count), width),
          coefficient_tangents(hidden2_tangents.row(count), width) {}

    Rows<float> x, hidden1, hidden2, coefficients, x_tangents, hidden1_tangents, hidden2_tangents, coefficient_tangents;
};

}  // namespace

void BodyModel::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                       int threads) const {
    parallel_for(poses.extent(0), poses_per_block, threads, [&](std::int64_t begin, std::int64_t end) {
        jvp_block({poses.row(begin), poses.extent(1)}, {tangents.row(begin), tangents.extent(1)},
                  {derivatives.row(begin), 3 * derivatives.extent(1)}, static_cast<int>(end - begin));
    });
}

void BodyModel::jvp_block(Rows<const float> poses, Rows<const float> tangents, Rows<float> derivatives,
                          int count) const {
    const rig::Skeleton& skeleton = character().skeleton;
    const std::int64_t transforms_size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    const std::int64_t late_size = Scratch::padded(3 * static_cast<std::size_t>(late_));
    const Scratch::Lease<float> memory(count * (2 * transforms_size + late_size + Trace::num_rows * width_));
    const Rows<float> transforms{memory.data(), transforms_size};
    const Rows<float> transform_tangents{transforms.row(count), transforms_size};
    const Rows<float> late{transform_tangents.row(count), late_size};
    const Trace trace(late.row(count), width_, count);
    const network::DenseKernels& network = network::dense_kernels();

    for (int p = 0; p < count; ++p) {
        skeleton.globals(poses.row(p), transforms.row(p));
        skeleton.globals_jvp(poses.row(p), transforms.row(p), tangents.row(p), transform_tangents.row(p));
    }
    for (const VertexSet& set : sets_) {
        if (set.has_network()) {
            set.gather(poses, trace.x, count);
            set.gather(tangents, trace.x_tangents, count);
            network.dense(set.layer[0], packed_, trace.x, trace.hidden1, count);
            network.dense(set.layer[1], packed_, trace.hidden1, trace.hidden2, count);
            network.dense(set.layer[2], packed_, trace.hidden2, trace.coefficients, count);
            network.dense_jvp(set.layer[0], packed_, trace.hidden1, trace.x_tangents, trace.hidden1_tangents, count);
            network.dense_jvp(set.layer[1], packed_, trace.hidden2, trace.hidden1_tangents, trace.hidden2_tangents,
                              count);
            network.dense_jvp(set.layer[2], packed_, trace.coefficients, trace.hidden2_tangents,
                              trace.coefficient_tangents, count);
        }
        patch_kernels().jvp(set.patch, packed_, trace.coefficients, transforms.from(0, 12 * set.joint),
                            trace.coefficient_tangents, transform_tangents.from(0, 12 * set.joint), derivatives, late,
                            count);
    }
    for (const VertexSet& set : sets_) add_late(set.patch, late, derivatives, count);
}

}  // namespace rigwright::body
