#include <algorithm>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"
#include "rigcast/face/maps/face_maps.h"
#include "rigcast/rig/overflow.h"

namespace rigcast::face {
namespace {

using network::SplitMemory;

/// The working memory of the derivatives of a segment: what an evaluation has, a second set of maps and rows for
/// tangents or gradients, and offsets.
struct Trace {
    Trace(float* memory, const MapSegment& segment)
        : split(memory),
          values(split, segment.network, static_cast<int>(segment.column.extent(0)), 1),
          changes(split, segment.network, static_cast<int>(segment.column.extent(0)), 1),
          offsets(split.take(static_cast<std::size_t>(segment.offsets_size()))) {}

    SplitMemory split;
    MapMemory values;
    MapMemory changes;
    float* offsets;
};

void clear(Map<float> map) {
    std::fill_n(map.data, map.size(), 0.0f);
}

/// The derivatives of one segment at one pose.
class SegmentDerivatives {
public:
    SegmentDerivatives(const MapSegment& segment, const Packed& packed, const Packed& reverse, float* memory)
        : segment_(segment), network_(segment.network), packed_(packed), reverse_(reverse), trace_(memory, segment) {}

    /// Draws the maps of a pose.
    void linearize(const float* pose) const {
        gather(pose, trace_.values.row[0].row(0));
        run_dense(network_, packed_, trace_.values, 1);
        draw_maps(network_, packed_, base_rows(network_, trace_.values).row(0), trace_.values);
    }

    /// The offsets (M, 4) that the segment adds to the vertices; after linearize.
    const float* offsets() const {
        sample_kernels().evaluate(segment_.samples, packed_, last(trace_.values), true, trace_.offsets);
        return trace_.offsets;
    }

    /// Their derivatives (M, 4) along a direction of the pose.
    const float* jvp(const float* tangent) const {
        const MapMemory& values = trace_.values;
        const MapMemory& tangents = trace_.changes;
        gather(tangent, tangents.row[0].row(0));
        for (std::size_t i = 0; i < network_.dense.size(); ++i) {
            network::dense_kernels().dense_jvp(network_.dense[i], packed_, values.row[i + 1], tangents.row[i],
                                               tangents.row[i + 1], 1);
        }
        network::clear_border(tangents.map[0]);
        scatter_base(network_, base_rows(network_, tangents).row(0), tangents.map[0]);
        for (int i = 1; i < network_.num_maps(); ++i) {
            network::clear_border(tangents.map[i]);
            network::convolution_kernels().jvp(network_.convolution[i - 1], packed_, values.map[i], tangents.map[i - 1],
                                               network_.runs[i], tangents.map[i]);
        }
        sample_kernels().evaluate(segment_.samples, packed_, last(tangents), false, trace_.offsets);
        return trace_.offsets;
    }

    /// Adds the gradient of the pose that cotangents (N, 3) of the points ask for.
    void vjp(const float* cotangents, float* gradient) const {
        const MapMemory& values = trace_.values;
        const MapMemory& gradients = trace_.changes;
        float* next = trace_.offsets;
        for (const std::int32_t v : segment_.vertex) {
            std::copy_n(cotangents + 3 * v, 3, next);
            next += 4;
        }
        for (int i = 0; i < network_.num_maps(); ++i) clear(gradients.map[i]);
        sample_kernels().add_gradient(segment_.samples, packed_, trace_.offsets, last(gradients));
        for (int i = network_.num_maps() - 1; i > 0; --i) {
            network::convolution_kernels().vjp(network_.convolution[i - 1], reverse_, values.map[i], network_.runs[i],
                                               gradients.map[i], network_.runs[i - 1], gradients.map[i - 1]);
        }
        const Rows<float> base = base_rows(network_, gradients);
        std::fill_n(base.row(0), base.stride, 0.0f);
        gather_base(network_, gradients.map[0], base.row(0));
        for (std::size_t i = network_.dense.size(); i-- > 0;) {
            network::dense_kernels().dense_vjp(network_.dense[i], packed_, values.row[i + 1], gradients.row[i + 1],
                                               gradients.row[i], 1);
        }
        for (std::int64_t i = 0; i < segment_.column.extent(0); ++i) {
            gradient[segment_.column(i)] += gradients.row[0].row(0)[i];
        }
    }

private:
    void gather(const float* pose, float* row) const {
        for (const std::int32_t column : segment_.column) *row++ = pose[column];
    }
    Map<float> last(const MapMemory& memory) const { return memory.map[network_.num_maps() - 1]; }

    const MapSegment& segment_;
    const MapNetwork& network_;
    const Packed& packed_;
    const Packed& reverse_;
    Trace trace_;
};

/// The points of a frame, what changes with them, and the memory of one segment at a time.
struct Memory {
    Memory(const std::vector<MapSegment>& segments, std::size_t points_size) {
        const std::size_t size = Scratch::padded(points_size);
        std::size_t work_size = 0;
        for (const MapSegment& segment : segments) {
            if (segment.has_network()) work_size = std::max(work_size, Trace(nullptr, segment).split.used());
        }
        lease = Scratch::Lease<float>(2 * size + work_size);
        points = lease.data();
        changes = points + size;
        work = changes + size;
    }

    Scratch::Lease<float> lease;
    float* points;
    float* changes;
    float* work;
};

}  // namespace

void FaceMaps::do_jvp(View<const float, 2> poses, View<const float, 2> tangents, View<float, 3> derivatives,
                      int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t t, std::int64_t) {
        const Memory memory(segments_, rest_.size());
        const View<const float, 2> pose(poses.row(t), {1, poses.extent(1)});
        start("jvp", t, pose, memory.points, 1);
        std::fill_n(memory.changes, rest_.size(), 0.0f);
        if (base_) {
            base_->jvp(pose, {tangents.row(t), {1, tangents.extent(1)}}, {memory.changes, {1, num_points(), 3}});
        }
        for (const MapSegment& segment : segments_) {
            if (!segment.has_network()) continue;
            const SegmentDerivatives derivative(segment, packed_, reverse_, memory.work);
            derivative.linearize(poses.row(t));
            add_offsets(segment, derivative.offsets(), 1.0f, memory.points);
            add_offsets(segment, derivative.jvp(tangents.row(t)), 1.0f, memory.changes);
        }
        rig::check_overflow("jvp", t, memory.points, 3 * num_points());
        rig::check_overflow("jvp", t, memory.changes, 3 * num_points());
        for (const RigidPart& part : parts_) part.jvp(memory.points, memory.changes);
        std::copy_n(memory.changes, 3 * derivatives.extent(1), derivatives.row(t));
    });
}

void FaceMaps::do_vjp(View<const float, 2> poses, View<const float, 3> cotangents, View<float, 2> gradients,
                      int threads) const {
    parallel_for(poses.extent(0), 1, threads, [&](std::int64_t t, std::int64_t) {
        const Memory memory(segments_, rest_.size());
        std::copy_n(cotangents.row(t), 3 * cotangents.extent(1), memory.changes);
        std::fill(memory.changes + 3 * cotangents.extent(1), memory.changes + rest_.size(), 0.0f);
        if (!parts_.empty()) {  // what parts ask of their followers depends on where these are
            start("vjp", t, {poses.row(t), {1, poses.extent(1)}}, memory.points, 1);
            for (const MapSegment& segment : segments_) {
                if (!segment.has_network()) continue;
                const SegmentDerivatives derivative(segment, packed_, reverse_, memory.work);
                derivative.linearize(poses.row(t));
                add_offsets(segment, derivative.offsets(), 1.0f, memory.points);
            }
            rig::check_overflow("vjp", t, memory.points, 3 * num_points());
            for (const RigidPart& part : parts_) part.vjp(memory.points, memory.changes);
            for (const RigidPart& part : parts_) {  // where they were before they followed has no effect
                for (const std::int32_t v : part.vertices()) std::fill_n(memory.changes + 3 * v, 3, 0.0f);
            }
        }
        std::fill_n(gradients.row(t), gradients.extent(1), 0.0f);
        if (base_) {
            base_->add_vjp({poses.row(t), {poses.extent(1)}}, {memory.changes, {num_points(), 3}}, gradients.row(t));
        }
        for (const MapSegment& segment : segments_) {
            if (!segment.has_network()) continue;
            const SegmentDerivatives derivative(segment, packed_, reverse_, memory.work);
            derivative.linearize(poses.row(t));
            derivative.vjp(memory.changes, gradients.row(t));
        }
    });
}

}  // namespace rigcast::face
