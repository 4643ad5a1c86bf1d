#pragma once
#include <memory>
#include <string>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/rig/deformer.h"

namespace rigcast {

/// Makes the model of a file, of the kind that its metadata name. Throws ArgumentError if the kind is unknown, or if
/// the constructor of that kind does.
std::shared_ptr<rig::Deformer> make_model(std::shared_ptr<const TensorFile> tensors);

/// The kinds that make_model supports.
std::vector<std::string> model_kinds();

}  // namespace rigcast
