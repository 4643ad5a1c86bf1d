#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/face/nearest_rotation.h"
#include "rigcast/cuda/face/sample_kernels.h"
#include "rigcast/cuda/products/tangent_kernels.h"

/// Rigid parts that follow the vertices beside them, in double precision: face::RigidPart.
namespace rigcast::cuda {

/// P parts with F followers each; their Q vertices, one part after another.
struct Parts {
    std::int64_t count;             // P
    std::int64_t followers;         // F
    std::int64_t num_vertices;      // Q
    const std::int32_t* follower;   // (P, F) points
    const double* follower_arm;     // (P, F, 3) at rest, from the followers' mean
    const std::int32_t* collinear;  // (P)
    const std::int32_t* vertex;     // (Q) points
    const std::int32_t* part;       // (Q)
    const double* arm;              // (Q, 3) at rest, from the followers' mean
};

/// What a frame does with a part: moves it by R and the mean f of the followers. `omega` is omega_matrix.
struct PartFit {
    double rotation[9];
    double mean[3];
    double omega[9];
};

/// What a tangent does with a part: dv = R (omega x arm) + df.
struct PartTangent {
    double omega[3];
    double mean[3];
};

/// Writes the mean f of the followers of a part, and A = sum_k (f_k - f) r_k^T with their arms r_k.
RIGCAST_DEVICE inline void measure_followers(const Parts& parts, const Points& points, std::int64_t frame,
                                             std::int64_t part, double* mean, double* a) {
    const std::int32_t* follower = parts.follower + part * parts.followers;
    const double* arm = parts.follower_arm + part * parts.followers * 3;
    for (int axis = 0; axis < 3; ++axis) mean[axis] = 0.0;
    for (std::int64_t k = 0; k < parts.followers; ++k) {
        const float* point = points.at(frame, follower[k]);
        for (int axis = 0; axis < 3; ++axis) mean[axis] += point[axis];
    }
    for (int axis = 0; axis < 3; ++axis) mean[axis] /= static_cast<double>(parts.followers);
    for (int i = 0; i < 9; ++i) a[i] = 0.0;
    for (std::int64_t k = 0; k < parts.followers; ++k) {
        const float* point = points.at(frame, follower[k]);
        for (int i = 0; i < 9; ++i) a[i] += (point[i / 3] - mean[i / 3]) * arm[3 * k + i % 3];
    }
}

/// Fits part p of a frame to its followers.
struct FitParts {
    Parts parts;
    Points points;
    PartFit* fits;  // (T, P)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t p) const {
        PartFit fit = {{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, {}, {}};
        double a[9];
        measure_followers(parts, points, frame, p, fit.mean, a);
        if (parts.collinear[p] == 0) {
            nearest_rotation(a, fit.rotation);
            omega_matrix(a, fit.rotation, fit.omega);
        }
        fits[frame * parts.count + p] = fit;
    }
};

/// Moves vertex q of the parts: v = R arm + f.
struct MoveParts {
    Parts parts;
    const PartFit* fits;  // (T, P)
    Points points;

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t q) const {
        const PartFit& fit = fits[frame * parts.count + parts.part[q]];
        const double* arm = parts.arm + 3 * q;
        float* point = points.at(frame, parts.vertex[q]);
        for (int i = 0; i < 3; ++i) {
            const double* r = fit.rotation + 3 * i;
            point[i] = static_cast<float>(r[0] * arm[0] + r[1] * arm[1] + r[2] * arm[2] + fit.mean[i]);
        }
    }
};

/// The derivative of FitParts, from the tangents of the followers.
struct FitPartTangents {
    Parts parts;
    const PartFit* fits;  // (T, P)
    TangentFrames frames;
    Points tangents;
    PartTangent* changes;  // (R, P)

    RIGCAST_DEVICE void operator()(std::int64_t row, std::int64_t p) const {
        const PartFit& fit = fits[frames.frame(row) * parts.count + p];
        PartTangent change;
        double a[9], b[9];
        measure_followers(parts, tangents, row, p, change.mean, a);
        for (int i = 0; i < 9; ++i) {  // B = R^T dA
            const double* r = fit.rotation + i / 3;
            b[i] = r[0] * a[i % 3] + r[3] * a[3 + i % 3] + r[6] * a[6 + i % 3];
        }
        const double axial[3] = {b[7] - b[5], b[2] - b[6], b[3] - b[1]};
        for (int i = 0; i < 3; ++i) {
            const double* m = fit.omega + 3 * i;
            change.omega[i] = m[0] * axial[0] + m[1] * axial[1] + m[2] * axial[2];
        }
        changes[row * parts.count + p] = change;
    }
};

/// The derivative of MoveParts.
struct MovePartTangents {
    Parts parts;
    const PartFit* fits;         // (T, P)
    const PartTangent* changes;  // (R, P)
    TangentFrames frames;
    Points tangents;

    RIGCAST_DEVICE void operator()(std::int64_t row, std::int64_t q) const {
        const PartFit& fit = fits[frames.frame(row) * parts.count + parts.part[q]];
        const PartTangent& change = changes[row * parts.count + parts.part[q]];
        const double* arm = parts.arm + 3 * q;
        const double* w = change.omega;
        const double turned[3] = {w[1] * arm[2] - w[2] * arm[1], w[2] * arm[0] - w[0] * arm[2],
                                  w[0] * arm[1] - w[1] * arm[0]};
        float* tangent = tangents.at(row, parts.vertex[q]);
        for (int i = 0; i < 3; ++i) {
            const double* r = fit.rotation + 3 * i;
            tangent[i] = static_cast<float>(r[0] * turned[0] + r[1] * turned[1] + r[2] * turned[2] + change.mean[i]);
        }
    }
};

}  // namespace rigcast::cuda
