#include "rigwright/body/choose_int8.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rigwright/body/int8_prices.h"

namespace rigwright::body {
namespace {

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

}  // namespace rigwright::body
