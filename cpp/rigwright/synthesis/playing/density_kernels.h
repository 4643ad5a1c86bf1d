#pragma once
#include <cstdint>

namespace rigwright::synthesis {

/// What DensityField computes for eight points side by side; see there.
struct DensityQuery {
    const double* centers;  // (R, D)
    const double* matrix;   // (R, R)
    std::int64_t num_centers, dimensions;
    double variance, length;
    const double* x;   // (D, 8)
    double* density;   // (8)
    double* gradient;  // (D, 8)
    double* memory;    // (2 R, 8)
};

/// Compiled once per instruction set.
void query_density(const DensityQuery& query);

}  // namespace rigwright::synthesis
