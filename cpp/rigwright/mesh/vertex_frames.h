#pragma once
#include <cstdint>
#include <vector>

#include "rigwright/core/view.h"

namespace rigwright::mesh {

/// A right-handed orthonormal frame at every vertex that turns with the surface: z the vertex normal, x the edge
/// to one neighbor, seen across z, y = z x x. The neighbor is chosen once, on a rest mesh: the one whose edge is
/// longest across the normal. A vertex without a normal or such an edge there (a loose one) has no frame.
class VertexFrames {
public:
    /// `rest` (V, 3). Keeps a copy of the faces.
    VertexFrames(View<const std::int32_t, 2> faces, View<const float, 2> rest);

    bool has_frame(std::int64_t vertex) const { return neighbor_[vertex] >= 0; }
    /// Writes frames (V, 9) of points (V, 3): x, y, z one after another; zeros where there is none or where the
    /// points have flattened the frame. `normals` (V, 3) receives the sums of the area vectors.
    void evaluate(const float* points, float* normals, float* frames) const;
    /// The derivative of the frames along `change` (V, 3) of the points: writes (V, 9), zeros where evaluate wrote
    /// them. `normals` and `frames` are those of evaluate.
    void jvp(const float* points, const float* normals, const float* frames, const float* change,
             float* derivatives) const;
    /// The reverse of jvp: adds to `point_gradient` (V, 3). `frame_gradient` (V, 9) is overwritten; `normals` and
    /// `frames` are those of evaluate.
    void vjp(const float* points, const float* normals, const float* frames, float* frame_gradient,
             float* point_gradient) const;

private:
    View<const std::int32_t, 2> faces() const;

    std::vector<std::int32_t> corners_;  // (F, columns) of the faces
    std::int64_t columns_;
    std::vector<std::int32_t> neighbor_;  // -1: no frame
};

}  // namespace rigwright::mesh
