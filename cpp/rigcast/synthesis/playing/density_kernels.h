#pragma once
#include <cstdint>

namespace rigcast::synthesis {

/// What DensityField computes for up to `lanes` points side by side; see there.
struct DensityQuery {
    const double* centers;  // (R, D)
    const double* matrix;   // (R, R)
    std::int64_t num_centers, dimensions;
    double variance, length;
    std::int64_t width;  // points: a multiple of 8
    const double* x;     // (D, lanes)
    double* density;     // (lanes)
    double* gradient;    // (D, lanes)
    double* memory;      // (2 R, width)
};

/// Compiled once per instruction set.
void query_density(const DensityQuery& query);

}  // namespace rigcast::synthesis
