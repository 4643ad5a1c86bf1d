#include "rigcast/network/model_storage.h"

#include <nlohmann/json.hpp>

#include "rigcast/core/error.h"

namespace rigcast::network {

std::string network_storage(const TensorFile& tensors) {
    const Metadata& metadata = tensors.metadata();
    return metadata.contains("network_storage") ? metadata.text("network_storage") : "float32";
}

Storage layer_storage(const TensorFile& tensors, View<const float, 2> weight) {
    const std::string storage = network_storage(tensors);
    if (storage == "float32") return Storage::float32;
    if (storage == "16-bit") return choose_storage(weight);
    throw bad_argument("load", "metadata.network_storage", "'" + storage + "'", "\"float32\" or \"16-bit\"");
}

std::shared_ptr<const TensorFile> with_storage(const TensorFile& tensors, const std::string& storage) {
    if (storage != "float32" && storage != "16-bit") {
        throw bad_argument("stored", "storage", "'" + storage + "'", "\"float32\" or \"16-bit\"");
    }
    nlohmann::json metadata = nlohmann::json::parse(tensors.metadata_text());
    metadata["network_storage"] = storage;
    auto result = std::make_shared<TensorFile>();
    result->set_metadata(metadata.dump());
    for (const auto& [name, entry] : tensors.entries()) result->add(name, tensors, entry);
    return result;
}

}  // namespace rigcast::network
