#include <algorithm>
#include <nlohmann/json.hpp>

#include "rigwright/body/body_model.h"
#include "rigwright/core/error.h"

namespace rigwright::body {

std::shared_ptr<BodyModel> BodyModel::stored(const std::string& storage) const {
    if (storage != "float32" && storage != "16-bit") {
        throw bad_argument("stored", "storage", "'" + storage + "'", "\"float32\" or \"16-bit\"");
    }
    const TensorFile& source = *character().tensors;
    nlohmann::json metadata = nlohmann::json::parse(source.metadata_text());
    metadata["network_storage"] = storage;
    TensorFile result;
    result.set_metadata(metadata.dump());
    for (const auto& [name, entry] : source.entries()) result.add(name, source, entry);
    return std::make_shared<BodyModel>(std::make_shared<const TensorFile>(std::move(result)));
}

float BodyModel::storage_error() const {
    float largest = 0.0f;
    for (const VertexSet& set : sets_) {
        for (const network::Dense& layer : set.layer) largest = std::max(largest, layer.storage_error);
    }
    return largest;
}

}  // namespace rigwright::body
