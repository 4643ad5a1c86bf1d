#include <algorithm>
#include <string>

#include "rigcast/body/choose_int8.h"
#include "rigcast/body/matrix_storage.h"
#include "rigcast/core/error.h"

namespace rigcast::body {

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
