#pragma once
#include <memory>
#include <set>
#include <string>

#include "rigcast/body/body_model.h"
#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/network/storage.h"

namespace rigcast::body {

/// How the matrices of a body, weights of layers and bases, are stored in memory. By metadata.network_storage:
/// "float32"; "16-bit": int16, whose error is at most an eighth of that of float16 in each block; "int8": those that
/// metadata.int8_tensors names are int8, the others int16. Those that metadata.float32_tensors (optional) names are
/// float32 in any case. The file always has float32.
class MatrixStorage {
public:
    /// float32.
    MatrixStorage() = default;
    /// Throws ArgumentError, which names `function` and `argument`, unless the storage is one of these.
    MatrixStorage(const std::string& storage, const char* function, const char* argument);
    /// By the metadata of a file. Throws ArgumentError if an entry is malformed, or a list names anything but matrices.
    explicit MatrixStorage(const TensorFile& tensors);

    /// The storage of the matrix of this name; float32 if a number is not finite.
    network::Storage of(const std::string& name, View<const float, 2> matrix) const;
    /// A copy of a model file with these entries in its metadata.
    std::shared_ptr<const TensorFile> written(const TensorFile& tensors) const;

    std::string name = "float32";           // network_storage
    std::set<std::string> int8_tensors;     // with "int8"
    std::set<std::string> float32_tensors;  // with "16-bit" and "int8"
};

/// The storage "int8", with matrices in int8 and the others in 16 bits, so that the vertices of `poses` (T, C) are
/// on average at most `max_error` from those of the model in float32. As many bytes as this method finds; none if 16
/// bits alone are beyond the bound.
///
/// Method: matrices are taken by ascending price, the squared distance that each alone makes per byte
/// that it saves. Bisection finds how many of them, by evaluating the model with these. The result is one that was
/// evaluated, so the bound holds on these poses. Deterministic. Cost: some ten evaluations of the poses.
MatrixStorage choose_int8(const BodyModel& model, View<const float, 2> poses, double max_error);

}  // namespace rigcast::body
