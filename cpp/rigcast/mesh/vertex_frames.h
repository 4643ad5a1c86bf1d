#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/view.h"

namespace rigcast::mesh {

/// A right-handed orthonormal tangent frame (x, y, z) at every vertex, which rotates with the surface: z is the vertex
/// normal, x the normalized projection of the edge to one neighbor on the tangent plane, and y = z cross x. The
/// neighbor is chosen once, on the rest mesh: the one with the longest projection. A vertex without a normal or a
/// projected edge there, such as a loose one, has no frame.
class VertexFrames {
public:
    /// rest: (V, 3). Copies the faces.
    VertexFrames(View<const std::int32_t, 2> faces, View<const float, 2> rest);

    bool has_frame(std::int64_t vertex) const { return neighbor_[vertex] >= 0; }
    /// Writes the frames (V, 9) of points (V, 3): x, y, z of each vertex. They are zeros if the vertex has no frame or
    /// its normal or edge has vanished. Writes the sums of area vectors to `normals` (V, 3).
    void evaluate(const float* points, float* normals, float* frames) const;
    /// Jacobian-vector product: writes the derivatives (V, 9) of the frames along `change` (V, 3) of the points; zeros
    /// if the frame is. `normals` and `frames` are from evaluate.
    void jvp(const float* points, const float* normals, const float* frames, const float* change,
             float* derivatives) const;
    /// Vector-Jacobian product: adds the gradient with respect to the points to `point_gradient` (V, 3). Overwrites
    /// `frame_gradient` (V, 9). `normals` and `frames` are from evaluate.
    void vjp(const float* points, const float* normals, const float* frames, float* frame_gradient,
             float* point_gradient) const;

private:
    View<const std::int32_t, 2> faces() const;

    std::vector<std::int32_t> corners_;  // (F, columns) of the faces
    std::int64_t columns_;
    std::vector<std::int32_t> neighbor_;  // -1: no frame
};

}  // namespace rigcast::mesh
