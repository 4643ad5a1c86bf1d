#include <algorithm>

#include "rigcast/body/body_model.h"
#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"

namespace rigcast::body {
namespace {

/// More frames reuse the weights more often, fewer keep the rows of a set cached. Chosen, not tuned.
constexpr int frames_per_task = 8;

/// Working memory of a set's network and its derivative: `num_frames` rows each.
struct TangentTrace {
    static constexpr int num_rows = 8;

    TangentTrace(float* memory, std::int64_t width, int num_frames)
        : x(memory, width),
          hidden1(x.row(num_frames), width),
          hidden2(hidden1.row(num_frames), width),
          coefficients(hidden2.row(num_frames), width),
          x_tangents(coefficients.row(num_frames), width),
          hidden1_tangents(x_tangents.row(num_frames), width),
          hidden2_tangents(hidden1_tangents.row(num_frames), width),
          coefficient_tangents(hidden2_tangents.row(num_frames), width) {}

    Rows<float> x;
    Rows<float> hidden1;
    Rows<float> hidden2;
    Rows<float> coefficients;
    Rows<float> x_tangents;
    Rows<float> hidden1_tangents;
    Rows<float> hidden2_tangents;
    Rows<float> coefficient_tangents;
};

}  // namespace

void BodyModel::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                       int threads) const {
    parallel_for(poses.extent(0), frames_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
        jvp_batch({poses.row(begin), poses.extent(1)}, {tangents.row(begin), tangents.extent(1)},
                  {derivatives.row(begin), 3 * derivatives.extent(1)}, static_cast<int>(end - begin));
    });
}

void BodyModel::jvp_batch(Rows<const float> poses, Rows<const float> tangents, Rows<float> derivatives,
                          int num_frames) const {
    const rig::Skeleton& skeleton = character().skeleton;
    const std::int64_t transforms_size = Scratch::padded(12 * static_cast<std::size_t>(skeleton.num_joints()));
    const std::int64_t added_size = Scratch::padded(3 * static_cast<std::size_t>(num_added_));
    const Scratch::Lease<float> memory(num_frames *
                                       (2 * transforms_size + added_size + TangentTrace::num_rows * width_));
    const Rows<float> transforms{memory.data(), transforms_size};
    const Rows<float> transform_tangents{transforms.row(num_frames), transforms_size};
    const Rows<float> added{transform_tangents.row(num_frames), added_size};
    const TangentTrace trace(added.row(num_frames), width_, num_frames);
    const network::DenseKernels& network = network::dense_kernels();

    for (int p = 0; p < num_frames; ++p) {
        skeleton.globals(poses.row(p), transforms.row(p));
        skeleton.globals_jvp(poses.row(p), transforms.row(p), tangents.row(p), transform_tangents.row(p));
    }
    for (const VertexSet& set : sets_) {
        if (set.has_network()) {
            set.gather(poses, trace.x, num_frames);
            set.gather(tangents, trace.x_tangents, num_frames);
            network.dense(set.layer[0], packed_, trace.x, trace.hidden1, num_frames);
            network.dense(set.layer[1], packed_, trace.hidden1, trace.hidden2, num_frames);
            network.dense(set.layer[2], packed_, trace.hidden2, trace.coefficients, num_frames);
            network.dense_jvp(set.layer[0], packed_, trace.hidden1, trace.x_tangents, trace.hidden1_tangents,
                              num_frames);
            network.dense_jvp(set.layer[1], packed_, trace.hidden2, trace.hidden1_tangents, trace.hidden2_tangents,
                              num_frames);
            network.dense_jvp(set.layer[2], packed_, trace.coefficients, trace.hidden2_tangents,
                              trace.coefficient_tangents, num_frames);
        }
        patch_kernels().jvp(set.patch, packed_, trace.coefficients, transforms.from(0, 12 * set.joint),
                            trace.coefficient_tangents, transform_tangents.from(0, 12 * set.joint), derivatives, added,
                            num_frames);
    }
    for (const VertexSet& set : sets_) add_contributions(set.patch, added, derivatives, num_frames);
}

}  // namespace rigcast::body
