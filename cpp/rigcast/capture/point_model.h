#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/core/tent.h"
#include "rigcast/core/view.h"
#include "rigcast/rig/blendshapes/blendshape_rig.h"

namespace rigcast::capture {

/// Where each of P tracked points lies on the character: a weighted mean of three vertices.
struct PointPlaces {
    View<const std::int32_t, 2> vertices;  // (P, 3); one vertex: three times the same
    View<const double, 2> weights;         // (P, 3), barycentric coordinates
};

/// The tracked points of a blendshape rig in double precision, and their derivatives:
///   y_i(w) = sum_j beta_ij v^0_(ij) + o_i + sum_n s_n a_n(w) sum_j beta_ij b_(n, ij),
/// with the activations a_n of BlendshapeRig, offsets o_i (where the actor's point lies beside the character's at the
/// neutral) and strengths s_n: that of a shape, or the product of its drivers' for a correction. A strength of 1.2
/// says that the actor's motion at weight 1 is 1.2 times that of the character's shape.
/// Immutable and thread-safe.
class PointModel {
public:
    /// strength (K), positive; offsets (P, 3), in the rig's unit. Throws ArgumentError if a shape is wrong, an index is
    /// out of range, or a number is not finite.
    PointModel(const rig::BlendshapeRig& rig, const PointPlaces& places, View<const double, 1> strength,
               View<const double, 2> offsets);

    std::int64_t num_points() const { return num_points_; }
    std::int64_t num_shapes() const { return num_shapes_; }
    const std::vector<double>& low() const { return low_; }
    const std::vector<double>& high() const { return high_; }
    /// Root mean square distance of the points of the neutral from their mean, in the rig's unit.
    double radius() const { return radius_; }

    /// Writes the positions (P, 3) at K weights.
    void evaluate(const double* weights, double* positions) const;
    /// Writes the derivatives (K, 3 P), one row per weight; at a corner of a tent the right-hand ones.
    void linearize(const double* weights, double* derivatives) const;

private:
    struct Factor {
        std::int32_t shape;
        bool is_tent;
        Tent<double> tent;
        double value(double w) const { return is_tent ? tent.value(w) : w; }
        double slope(double w) const { return is_tent ? tent.slope(w, 1) : 1.0; }
    };

    void check(const rig::BlendshapeRig& rig, const PointPlaces& places, View<const double, 1> strength,
               View<const double, 2> offsets) const;
    void gather(const PointPlaces& places, View<const float, 2> vertices, double scale, double* result) const;

    std::int64_t num_points_;
    std::int64_t num_shapes_;
    std::vector<double> rest_;    // (P, 3)
    std::vector<double> deltas_;  // (N, 3 P), strengths included
    std::vector<std::vector<Factor>> factors_;
    std::vector<double> low_;
    std::vector<double> high_;
    double radius_ = 0.0;
};

}  // namespace rigcast::capture
