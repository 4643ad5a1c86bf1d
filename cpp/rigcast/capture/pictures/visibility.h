#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/capture/frame_residuals.h"
#include "rigcast/capture/pictures/surface_samples.h"
#include "rigcast/render/rasterize.h"

namespace rigcast::capture {

/// The part of a mesh that may hide samples.
struct Occluder {
    View<const std::int32_t, 1> vertices;   // (U) of the rig
    View<const std::int32_t, 2> triangles;  // (F, 3) indices of them
};

/// Which samples a camera sees: those whose triangle faces it, and that lie no farther behind the nearest surface than
/// a share of the face, by a z-buffer of few cells. Not thread-safe.
class Visibility {
public:
    /// `cells`: of the z-buffer along the longer side of the picture. Throws ArgumentError if an index is out of range.
    Visibility(const rig::BlendshapeRig& rig, const SurfaceSamples& samples, const Occluder& occluder,
               const Camera& camera, std::int64_t cells);

    /// Writes 1 (S) for samples that are seen in a picture of height x width. `draw`: fill the z-buffer anew; else what
    /// the last one hid is hidden again.
    void see(const double* weights, const HeadPose& head, std::int64_t height, std::int64_t width, bool draw,
             std::vector<std::uint8_t>* seen);

private:
    void draw_surface(const double* weights, const HeadPose& head, std::int64_t height, std::int64_t width);
    bool is_behind(const linalg::Vec3& place) const;

    const SurfaceSamples& samples_;
    Camera camera_;
    std::int64_t cells_;
    std::shared_ptr<rig::Deformer> mesh_;
    std::vector<render::DrawnTriangle> triangles_;
    render::Camera lens_;
    render::SampleGrid grid_{1, 1, 1};
    std::vector<std::uint8_t> hidden_;
    std::vector<float> vertices_;
    std::vector<double> placed_;
    std::vector<double> corners_;
};

}  // namespace rigcast::capture
