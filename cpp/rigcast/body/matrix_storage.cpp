#include "rigcast/body/matrix_storage.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rigcast/core/aligned.h"
#include "rigcast/core/error.h"
#include "rigcast/core/scratch.h"
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

using network::Dense;

/// What a matrix costs in accuracy if it alone is int8.
struct Int8Price {
    std::string name;         // of the tensor
    double squared_per_byte;  // squared distances of vertices, summed over vertices and poses, per byte saved
};

/// A layer, and where it is packed.
struct PackedLayer {
    const Dense* layer;
    const Packed* packed;
};

/// One set of a model in float32 on some poses.
class PricedSet {
public:
    PricedSet(const BodyModel& exact, std::int64_t index, View<const float, 2> poses)
        : exact_(exact),
          set_(exact.sets()[index]),
          name_(set_name(index)),
          num_poses_(static_cast<int>(poses.extent(0))),
          stride_(static_cast<std::int64_t>(Scratch::padded(static_cast<std::size_t>(set_.width())))),
          inputs_(static_cast<std::size_t>(num_poses_ * stride_)),
          basis_(static_cast<std::size_t>(3 * set_.patch.members) * set_.patch.components) {
        set_.gather({poses.data(), poses.extent(1)}, {inputs_.data(), stride_}, num_poses_);
        coefficients_ = run({own(0), own(1), own(2)});
        for (int m = 0; m < set_.patch.members; ++m) {
            set_.patch.read_basis(exact_.packed(), m, &basis_[static_cast<std::size_t>(3 * m) * set_.patch.components]);
        }
    }

    /// Of layer `l`, from 0.
    Int8Price layer(int l) const {
        const TensorFile& file = *exact_.character().tensors;
        const std::string name = name_ + "layer" + std::to_string(l + 1);
        const auto weight = file.get<float, 2>(name + ".weight");
        Packed packed;
        const Dense narrow = network::pack_dense(weight, file.get<float, 1>(name + ".bias"), set_.layer[l].activation,
                                                 packed, Storage::int8);
        std::array<PackedLayer, 3> layers{own(0), own(1), own(2)};
        layers[l] = {&narrow, &packed};
        std::vector<float> change = run(layers);
        for (std::size_t i = 0; i < change.size(); ++i) change[i] -= coefficients_[i];
        return {name + ".weight", squared(basis_, change) / static_cast<double>(weight.size())};
    }

    Int8Price basis() const {
        const Patch& patch = set_.patch;
        const std::int64_t components = patch.components;
        const std::vector<float> zeros(static_cast<std::size_t>(3 * patch.members), 0.0f);
        const auto is_added = std::make_unique<bool[]>(static_cast<std::size_t>(patch.members));
        for (int m = patch.num_stored; m < patch.members; ++m) is_added[m] = true;
        std::vector<float> by_row(basis_.size());  // (3 M, r)
        for (int m = 0; m < patch.members; ++m) {
            for (std::int64_t k = 0; k < components; ++k) {
                for (int axis = 0; axis < 3; ++axis) {
                    by_row[(3 * m + axis) * components + k] = basis_[3 * (m * components + k) + axis];
                }
            }
        }
        const PatchSource source{patch.vertex.data(),
                                 zeros.data(),
                                 is_added.get(),
                                 zeros.data(),
                                 {by_row.data(), {3 * std::int64_t{patch.members}, components}}};
        Packed packed;
        const Patch narrow = pack_patch(source, patch.members, Storage::int8, packed);
        std::vector<float> change(basis_.size());
        for (int m = 0; m < patch.members; ++m) narrow.read_basis(packed, m, &change[3 * m * components]);
        for (std::size_t i = 0; i < change.size(); ++i) change[i] -= basis_[i];
        return {name_ + "basis", squared(change, coefficients_) / static_cast<double>(change.size())};
    }

private:
    PackedLayer own(int l) const { return {&set_.layer[l], &exact_.packed()}; }

    /// The coefficients (T, r) of the poses.
    std::vector<float> run(const std::array<PackedLayer, 3>& layers) const {
        const auto& kernels = network::dense_kernels();
        LineVector<float> memory(2 * inputs_.size());
        const network::Rows<float> hidden1{memory.data(), stride_}, hidden2 = hidden1.from(num_poses_);
        kernels.dense(*layers[0].layer, *layers[0].packed, {inputs_.data(), stride_}, hidden1, num_poses_);
        kernels.dense(*layers[1].layer, *layers[1].packed, hidden1, hidden2, num_poses_);
        kernels.dense(*layers[2].layer, *layers[2].packed, hidden2, hidden1, num_poses_);
        std::vector<float> result;
        for (int p = 0; p < num_poses_; ++p) {
            result.insert(result.end(), hidden1.row(p), hidden1.row(p) + set_.patch.components);
        }
        return result;
    }

    /// The squares of weight * basis c, summed over members and poses, for a basis (M, r, 3) and c (T, r).
    double squared(const std::vector<float>& basis, const std::vector<float>& c) const {
        const std::int64_t components = set_.patch.components;
        double sum = 0.0;
        for (int m = 0; m < set_.patch.members; ++m) {
            const double weight = set_.patch.weight(exact_.packed(), m);
            for (int p = 0; p < num_poses_; ++p) {
                float offset[3] = {};
                for (std::int64_t k = 0; k < components; ++k) {
                    for (int axis = 0; axis < 3; ++axis) {
                        offset[axis] += basis[3 * (m * components + k) + axis] * c[p * components + k];
                    }
                }
                for (const float x : offset) sum += weight * weight * static_cast<double>(x) * x;
            }
        }
        return sum;
    }

    const BodyModel& exact_;
    const VertexSet& set_;
    std::string name_;
    int num_poses_;
    std::int64_t stride_;
    LineVector<float> inputs_;         // (T, stride)
    std::vector<float> coefficients_;  // (T, r)
    std::vector<float> basis_;         // (M, r, 3)
};

/// The prices of the matrices of a set that int8 can hold, on `poses` (T, C). `exact` is the model in float32. Joints
/// are taken to keep lengths: a joint that scales also scales distances.
std::vector<Int8Price> int8_prices(const BodyModel& exact, std::int64_t set, View<const float, 2> poses) {
    if (!exact.sets()[set].has_network()) return {};
    const TensorFile& file = *exact.character().tensors;
    const auto fits = [&](const std::string& name) {
        return network::fits_blocks(file.get<float, 2>(set_name(set) + name));
    };
    const PricedSet priced(exact, set, poses);
    std::vector<Int8Price> prices;
    for (int l = 0; l < 3; ++l) {
        if (fits("layer" + std::to_string(l + 1) + ".weight")) prices.push_back(priced.layer(l));
    }
    if (fits("basis")) prices.push_back(priced.basis());
    return prices;
}

/// Distances of vertices from those of a model in float32, on some poses.
class Judge {
public:
    Judge(const BodyModel& model, View<const float, 2> poses)
        : tensors_(*model.character().tensors),
          poses_(poses),
          shape_{poses.extent(0), model.character().num_vertices(), 3},
          truth_(evaluate(MatrixStorage())) {}

    /// The mean distance of the model with these matrices in int8 and the others in 16 bits.
    double of(std::span<const std::string> names) const {
        const std::vector<float> found = evaluate(storage(names));
        double sum = 0.0;
        for (std::size_t i = 0; i < found.size(); i += 3) {
            double square = 0.0;
            for (std::size_t axis = i; axis < i + 3; ++axis) {
                const double difference = static_cast<double>(found[axis]) - truth_[axis];
                square += difference * difference;
            }
            sum += std::sqrt(square);
        }
        return sum / std::max<double>(1.0, static_cast<double>(found.size() / 3));
    }
    MatrixStorage storage(std::span<const std::string> int8_tensors) const {
        MatrixStorage result("int8", "choose_int8", "storage");
        result.int8_tensors.insert(int8_tensors.begin(), int8_tensors.end());
        result.float32_tensors = MatrixStorage(tensors_).float32_tensors;
        return result;
    }

private:
    std::vector<float> evaluate(const MatrixStorage& storage) const {
        const BodyModel model(storage.written(tensors_));
        std::vector<float> vertices(static_cast<std::size_t>(shape_[0] * shape_[1] * shape_[2]));
        model.evaluate(poses_, {vertices.data(), shape_}, 0);
        return vertices;
    }

    const TensorFile& tensors_;
    View<const float, 2> poses_;
    View<float, 3>::Extents shape_;
    std::vector<float> truth_;
};

/// All matrices that int8 can hold, in the order in which they become int8.
std::vector<std::string> ordered_matrices(const BodyModel& model, View<const float, 2> poses) {
    const TensorFile& tensors = *model.character().tensors;
    const BodyModel exact(MatrixStorage().written(tensors));
    std::vector<Int8Price> prices;
    for (std::int64_t set = 0; set < std::ssize(exact.sets()); ++set) {
        for (Int8Price& price : int8_prices(exact, set, poses)) prices.push_back(std::move(price));
    }
    std::stable_sort(prices.begin(), prices.end(),
                     [](const Int8Price& a, const Int8Price& b) { return a.squared_per_byte < b.squared_per_byte; });
    std::vector<std::string> names;
    for (Int8Price& price : prices) names.push_back(std::move(price.name));
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

MatrixStorage choose_int8(const BodyModel& model, View<const float, 2> poses, double max_error) {
    const Judge judge(model, poses);
    const std::vector<std::string> names = ordered_matrices(model, poses);
    std::size_t most = 0;                     // so many are within the bound, or none are
    std::size_t too_many = names.size() + 1;  // so many are beyond it, or are more than there are
    while (too_many - most > 1) {
        const std::size_t count = most + (too_many - most) / 2;
        (judge.of(std::span(names.data(), count)) <= max_error ? most : too_many) = count;
    }
    return judge.storage(std::span(names.data(), most));
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

float BodyModel::storage_error() const {
    float largest = 0.0f;
    for (const VertexSet& set : sets_) {
        largest = std::max(largest, set.patch.storage_error);
        for (const network::Dense& layer : set.layer) largest = std::max(largest, layer.storage_error);
    }
    return largest;
}

}  // namespace rigcast::body
