#pragma once
#include <memory>
#include <string>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/core/view.h"
#include "rigcast/network/storage.h"

namespace rigcast::network {

/// metadata.network_storage of a model file: how layers are stored in memory, "float32" or "16-bit". "float32" if the
/// entry is missing.
std::string network_storage(const TensorFile& tensors);

/// The storage of a layer's weights by network_storage; "16-bit" gives the better of both 16-bit formats for this
/// matrix. Throws ArgumentError if network_storage is unknown.
Storage layer_storage(const TensorFile& tensors, View<const float, 2> weight);

/// A copy of a model file with another network_storage; the file keeps float32. Throws ArgumentError, which names the
/// function `stored`, unless the storage is "float32" or "16-bit".
std::shared_ptr<const TensorFile> with_storage(const TensorFile& tensors, const std::string& storage);

}  // namespace rigcast::network
