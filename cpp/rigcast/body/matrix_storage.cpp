#include "rigcast/body/matrix_storage.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "rigcast/core/error.h"
#include "rigcast/network/model_storage.h"

namespace rigcast::body {
namespace {

bool is_matrix(const TensorFile& tensors, const std::string& name) {
    const auto found = tensors.entries().find(name);
    return found != tensors.entries().end() && found->second.dtype == DType::f32 && found->second.shape.size() == 2 &&
           name.starts_with("set.") && (name.ends_with(".weight") || name.ends_with(".basis"));
}

/// The names of a list in the metadata.
std::set<std::string> matrices(const TensorFile& tensors, const std::string& key) {
    std::set<std::string> names;
    for (std::string& name : tensors.metadata().names(key)) {
        if (!is_matrix(tensors, name)) {
            throw bad_argument("load", "metadata." + key, "naming '" + name + "'",
                               "names of weights and bases of sets");
        }
        names.insert(std::move(name));
    }
    return names;
}

}  // namespace

MatrixStorage::MatrixStorage(const std::string& storage, const char* function, const char* argument) : name(storage) {
    if (name != "float32" && name != "16-bit" && name != "int8") {
        throw bad_argument(function, argument, "'" + name + "'", "\"float32\", \"16-bit\" or \"int8\"");
    }
}

MatrixStorage::MatrixStorage(const TensorFile& tensors)
    : MatrixStorage(network::network_storage(tensors), "load", "metadata.network_storage") {
    if (name == "int8") int8_tensors = matrices(tensors, "int8_tensors");
    if (tensors.metadata().contains("float32_tensors")) float32_tensors = matrices(tensors, "float32_tensors");
}

network::Storage MatrixStorage::of(const std::string& matrix_name, View<const float, 2> matrix) const {
    if (name == "float32" || float32_tensors.contains(matrix_name) || !network::fits_blocks(matrix)) {
        return network::Storage::float32;
    }
    return int8_tensors.contains(matrix_name) ? network::Storage::int8 : network::Storage::int16;
}

std::shared_ptr<const TensorFile> MatrixStorage::written(const TensorFile& tensors) const {
    nlohmann::json metadata = nlohmann::json::parse(tensors.metadata_text());
    metadata["network_storage"] = name;
    metadata.erase("int8_tensors");
    metadata.erase("float32_tensors");
    if (name == "int8") metadata["int8_tensors"] = int8_tensors;
    if (!float32_tensors.empty()) metadata["float32_tensors"] = float32_tensors;
    auto result = std::make_shared<TensorFile>();
    result->set_metadata(metadata.dump());
    for (const auto& [tensor, entry] : tensors.entries()) result->add(tensor, tensors, entry);
    return result;
}

std::shared_ptr<BodyModel> BodyModel::stored(const std::string& storage) const {
    MatrixStorage changed(storage, "stored", "storage");
    if (storage == "int8") {
        throw bad_argument("stored", "poses", "missing", "poses like those to evaluate: int8 depends on them");
    }
    changed.float32_tensors = MatrixStorage(*character().tensors).float32_tensors;
    return std::make_shared<BodyModel>(changed.written(*character().tensors));
}

std::shared_ptr<BodyModel> BodyModel::stored_int8(View<const float, 2> poses, double max_error) const {
    const std::int64_t controls = character().num_controls();
    if (poses.extent(0) < 1 || poses.extent(1) != controls) {
        const std::string shape = std::to_string(poses.extent(0)) + ", " + std::to_string(poses.extent(1));
        throw bad_argument("stored", "poses", "of shape " + shape,
                           "at least one row of " + std::to_string(controls) + " controls");
    }
    if (!(max_error >= 0.0)) {
        throw bad_argument("stored", "max_error", std::to_string(max_error), "a distance, at least 0");
    }
    return std::make_shared<BodyModel>(choose_int8(*this, poses, max_error).written(*character().tensors));
}

double BodyModel::own_error() const {
    const auto errors = character().tensors->get<float, 1>("error.mean", {character().num_vertices()});
    double sum = 0.0;
    for (const float error : errors) sum += error;
    return sum / std::max(1.0, static_cast<double>(errors.extent(0)));
}

std::vector<float> BodyModel::basis_of(std::int64_t index) const {
    const TensorFile& source = *character().tensors;
    const Patch& patch = sets_[index].patch;
    const std::int64_t components = patch.components;
    const std::int32_t* const first =
        source.get<std::int32_t, 1>("sets.vertex").data() + source.get<std::int32_t, 1>("sets.offset")(index);
    std::vector<float> basis(static_cast<std::size_t>(3 * patch.members * components));
    std::vector<float> of_member(static_cast<std::size_t>(3 * components));
    for (int m = 0; m < patch.members; ++m) {
        const std::int64_t row = std::lower_bound(first, first + patch.members, patch.vertex[m]) - first;
        patch.read_basis(packed_, m, of_member.data());
        for (std::int64_t k = 0; k < components; ++k) {
            for (int axis = 0; axis < 3; ++axis) basis[(3 * row + axis) * components + k] = of_member[3 * k + axis];
        }
    }
    return basis;
}

float BodyModel::storage_error() const {
    float largest = 0.0f;
    for (const VertexSet& set : sets_) {
        largest = std::max(largest, set.patch.storage_error);
        for (const network::Dense& layer : set.layer) largest = std::max(largest, layer.storage_error);
    }
    return largest;
}

}  // namespace rigcast::body
