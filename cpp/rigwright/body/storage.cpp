#include <algorithm>

#include "rigwright/body/body_model.h"
#include "rigwright/network/model_storage.h"

namespace rigwright::body {

std::shared_ptr<BodyModel> BodyModel::stored(const std::string& storage) const {
    return std::make_shared<BodyModel>(network::with_storage(*character().tensors, storage));
}

float BodyModel::storage_error() const {
    float largest = 0.0f;
    for (const VertexSet& set : sets_) {
        for (const network::Dense& layer : set.layer) largest = std::max(largest, layer.storage_error);
    }
    return largest;
}

}  // namespace rigwright::body
