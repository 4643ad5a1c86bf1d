#pragma once
#include <memory>
#include <string>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/rig/deformer.h"

namespace rigwright {

/// The model that a file describes, of whatever kind it names. Throws ArgumentError on an unknown kind and on
/// tensors that do not make a model of that kind.
std::shared_ptr<rig::Deformer> make_model(std::shared_ptr<const TensorFile> tensors);

/// All kinds that make_model knows.
std::vector<std::string> model_kinds();

}  // namespace rigwright
