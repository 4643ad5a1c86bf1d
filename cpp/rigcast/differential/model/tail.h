#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/differential/affine_tail.h"
#include "rigcast/differential/fold.h"
#include "rigcast/rig/character.h"

namespace rigcast::differential {

/// The last step of a differential model: from the coefficients z (R) of a basis of delta coordinates and the predicted
/// displacements a (A, 3) of the anchors to rest vertices plus displacements (V, 3).
/// Guarantee: the bytes of a frame depend neither on threads nor on other frames.
class Tail {
public:
    virtual ~Tail() = default;
    virtual std::int64_t num_coefficients() const = 0;
    virtual std::int64_t num_anchors() const = 0;
    virtual bool is_folded() const = 0;
    /// The largest difference of a stored weight from its float32 value.
    virtual float storage_error() const = 0;
    virtual std::int64_t num_bytes() const = 0;
    /// The same step as one affine map for the model's vertices, whose constant includes them at rest, with the stored
    /// weights widened to float32.
    virtual Folded folded() const = 0;

    /// Floats of working memory of `evaluate` for `count` rows, and of `vjp` for one; aligned to a cache line.
    virtual std::size_t memory_size(int count) const = 0;
    /// Writes `count` rows of points (3 V). Without `with_constant`: the Jacobian-vector product.
    virtual void evaluate(Rows<const float> coefficients, Rows<const float> anchors, Rows<float> points, int count,
                          bool with_constant, float* memory, int threads) const = 0;
    /// Writes the gradients with respect to one row of coefficients and anchors.
    virtual void vjp(const float* cotangents, float* coefficient_gradient, float* anchor_gradient,
                     float* memory) const = 0;

    /// Adds the tensors of the same tail for some of the vertices to the file of a restricted model.
    virtual void add_restricted(View<const std::int32_t, 1> vertices, TensorFile& file) const = 0;
};

/// Reads the tail of a model file: "folded" or "factorized" if metadata.tail says so, else the one with the lower cost.
/// Costs are counted bytes at measured rates (tail.cpp), not timed: a model gives the same bytes whenever it is loaded.
///
/// Tensors: delta.basis F32[3 N, R] (rows x0 y0 z0 x1 ...), delta.mean F32[3 N], anchors.vertex I32[A], anchors.weight
/// F32[A], of a mesh of N vertices: the model's, or solve.faces I32[F, 4] with solve.vertex I32[V], the vertices that
/// the model has. Or, folded already, folded.basis F32[3 V, R], folded.anchor F32[V, A] and folded.constant F32[3 V]
/// (Folded; the constant
/// includes the rest vertices). Metadata: laplacian must be "D - A".
/// Throws ArgumentError that names what is missing, malformed or out of range.
std::unique_ptr<const Tail> read_tail(const rig::Character& character);

/// Returns true if the weights of a file are to be stored in 16 bits, by metadata.network_storage; throws ArgumentError
/// unless it is "float32" or "16-bit".
bool in_16_bits(const TensorFile& tensors);

}  // namespace rigcast::differential
