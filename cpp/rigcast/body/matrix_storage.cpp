#include "rigcast/body/matrix_storage.h"

#include <nlohmann/json.hpp>

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

}  // namespace rigcast::body
