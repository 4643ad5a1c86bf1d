#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/capture/point_model.h"
#include "rigcast/core/aligned.h"

namespace rigcast::capture {

/// S points on triangles of a blendshape rig: where colors are compared. Immutable and thread-safe.
class SurfaceSamples {
public:
    static constexpr std::int64_t numbers = 9;  // of a sample: its triangle's corners, three coordinates each

    /// places: corners (S, 3) and barycentric coordinates (S, 3); importance (S), positive: the weight of a sample's
    /// color, as of the mouth's region; strength (K) as of PointModel. Throws ArgumentError as PointModel, or if an
    /// importance is not positive.
    SurfaceSamples(const rig::BlendshapeRig& rig, const PointPlaces& places, View<const double, 1> importance,
                   View<const double, 1> strength);

    std::int64_t num_samples() const { return static_cast<std::int64_t>(importance_.size()); }
    std::int64_t num_shapes() const { return corners_.num_shapes(); }
    const std::vector<double>& importance() const { return importance_; }
    /// Barycentric coordinates of sample i.
    const double* shares(std::int64_t i) const { return shares_.data() + 3 * i; }
    const std::vector<double>& low() const { return corners_.low(); }
    const std::vector<double>& high() const { return corners_.high(); }
    double radius() const { return corners_.radius(); }

    /// Writes the corners (S, 9) at K weights, in double precision.
    void evaluate(const double* weights, double* corners) const { corners_.evaluate(weights, corners); }

    /// Numbers per row of derivatives: K rounded up to whole cache lines.
    std::int64_t row_width() const { return row_width_; }
    /// The derivatives (S, 9, row_width) of the corners by the weights, zero from column K on. Of a rig without
    /// corrections they do not depend on the weights; else they are written to `memory`.
    const float* derivatives(const double* weights, LineVector<float>* memory) const;

private:
    void transpose(const std::vector<double>& rows, float* to) const;

    PointModel corners_;
    std::vector<double> shares_;
    std::vector<double> importance_;
    std::int64_t row_width_;
    LineVector<float> linear_;  // (S, 9, row_width); empty if the rig has corrections
};

}  // namespace rigcast::capture
