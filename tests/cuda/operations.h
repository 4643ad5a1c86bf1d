#pragma once
#include <cstdint>

#include "rigcast/core/view.h"
#include "rigcast/cuda/libraries/libraries.h"
#include "rigcast/cuda/products/product_plan.h"

/// Every kernel by itself, from host memory to host memory, for the tests that compare it with the CPU. Indices
/// must be in range (unchecked). Throw CudaError.
namespace rigcast::cuda {

/// target(t, i) = source(t, columns(i)).
void gather(View<const float, 2> source, View<const std::int32_t, 1> columns, View<float, 2> target);

/// Global transforms (T, count, 12) of `joints` (count) in poses (T, C).
void global_transforms(View<const float, 2> poses, View<const std::int32_t, 1> parents,
                       View<const std::int32_t, 1> joints, View<float, 3> transforms);

/// One layer: input (T, width) to output (T, plan.output_width).
void grouped_product(const ProductPlan& plan, View<const float, 2> input, View<float, 2> output);

/// The same by cuBLAS, or its emulation; the groups have one shape, whatever its size. Throws ArgumentError in a build
/// without the libraries.
void library_product(const ProductPlan& plan, View<const float, 2> input, View<float, 2> output);

/// output (T, M) = (A input)^T of the first T frames of input (N, pitch), by cuSPARSE or its emulation. Throws
/// ArgumentError in a build without the libraries.
void sparse_product(const CompressedRows& matrix, View<const float, 2> input, View<float, 2> output);

/// Which points make a vertex: the entries offset(k) to offset(k + 1) of vertex k.
struct BlendEntries {
    View<const std::int32_t, 1> offset, point, transform;
    View<const float, 1> weight;
};

/// Weighted sums of transformed points: points (T, M, 3), transforms (T, S, 12) to vertices (T, V, 3).
void blend(View<const float, 3> points, View<const float, 3> transforms, const BlendEntries& entries,
           View<float, 3> vertices);

}  // namespace rigcast::cuda
