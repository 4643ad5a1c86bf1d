#pragma once
#include <cstdint>
#include <vector>

#include "rigcast/capture/pictures/color_energy.h"

namespace rigcast::capture {

/// How far each weight is smoothed, by the motion of the picture where the samples were in the frame before
/// (Bailey 2020, eq. 6.9): gate_k = exp(-sum_i alpha_ik |mu_i| / sigma), where alpha_ik is the share of sample i in the
/// motion of shape k and mu_i the optical flow in pixels. Other than there, the part of the flow that a motion of the
/// head explains is taken out. Shapes that move no measured sample are smoothed in full: their gate is 1.
/// Flow: Lucas and Kanade (1981) on patches of 7 x 7 pixels, by inverse composition (Baker and Matthews 2004), on both
/// blurred pictures. It is wrong by about a tenth of a pixel, so that sigma should be at least .3.
class FlowGates {
public:
    /// `count`: of samples that are followed, spread evenly over all.
    FlowGates(const SurfaceSamples& samples, const Camera& camera, std::int64_t count);

    /// Keeps the frame of the last evaluated point of `energy`, whose used samples are `used`; takes over its pictures.
    void keep(const ColorEnergy& energy, const std::vector<std::int32_t>& used, LinearImage* fine, LinearImage* coarse);
    void forget() { followed_.clear(); }
    /// Writes K gates in [0, 1]; 0 if there is no frame before.
    void measure(const LinearImage& fine, const LinearImage& coarse, double sigma, double* gates);
    /// The flow of the followed samples with the head's part taken out, in pixels, of the last `measure`.
    const std::vector<std::array<double, 2>>& flow() const { return flow_; }

private:
    struct Followed {
        std::int64_t row;  // of shares_
        std::array<double, 2> at;
        linalg::Vec3 arm;
        double depth;
    };
    bool follow(const LinearImage& before, const LinearImage& now, const std::array<double, 2>& at,
                std::array<double, 2>* flow) const;
    void remove_head();

    Camera camera_;
    std::vector<std::int64_t> row_of_;  // (S) row of shares_, or -1
    std::int64_t num_shapes_;
    std::vector<double> shares_;  // (rows, K): how far a shape moves a sample
    LinearImage fine_, coarse_;
    std::vector<Followed> followed_;
    std::vector<std::array<double, 2>> flow_;
    std::vector<const Followed*> measured_;
};

}  // namespace rigcast::capture
