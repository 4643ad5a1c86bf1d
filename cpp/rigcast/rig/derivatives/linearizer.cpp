#include "rigcast/rig/derivatives/linearizer.h"

#include <algorithm>
#include <vector>

#include "rigcast/rig/deformer.h"

namespace rigcast::rig {
namespace {

class GeneralLinearization final : public Linearization {
public:
    GeneralLinearization(const Deformer& model, bool has_jacobian)
        : model_(model),
          width_(model.character().num_controls()),
          vertices_(model.character().num_vertices()),
          has_jacobian_(has_jacobian),
          pose_(static_cast<std::size_t>(width_)) {}

    void evaluate(const float* pose, float* vertices) override {
        model_.evaluate({pose, {1, width_}}, {vertices, {1, vertices_, 3}}, 1);
        std::copy_n(pose, width_, pose_.data());
    }

    void differentiate(const PoseDirections& directions, std::int64_t count, double* derivatives) override {
        std::fill_n(derivatives, 3 * vertices_ * count, 0.0);
        if (!has_jacobian_ && count <= 3 * vertices_) {
            by_directions(directions, count, derivatives);
        } else {
            by_columns(directions, count, derivatives);
        }
    }

private:
    /// One jvp per direction.
    void by_directions(const PoseDirections& directions, std::int64_t count, double* derivatives) {
        repeated_.resize(static_cast<std::size_t>(count * width_));
        for (std::int64_t k = 0; k < count; ++k) std::copy_n(pose_.data(), width_, &repeated_[k * width_]);
        tangents_.assign(repeated_.size(), 0.0f);
        for (const JointChange& change : directions.joints) {
            float* tangent = &tangents_[change.direction * width_ + 12 * change.joint];
            for (int i = 0; i < 12; ++i) tangent[i] += static_cast<float>(change.change[i]);
        }
        for (const DialChange& change : directions.dials) tangents_[change.direction * width_ + change.column] = 1.0f;
        rows_.resize(static_cast<std::size_t>(count * 3 * vertices_));
        model_.jvp({repeated_.data(), {count, width_}}, {tangents_.data(), {count, width_}},
                   {rows_.data(), {count, vertices_, 3}}, 1);
        for (std::int64_t k = 0; k < count; ++k) {
            for (std::int64_t row = 0; row < 3 * vertices_; ++row) {
                derivatives[row * count + k] = rows_[k * 3 * vertices_ + row];
            }
        }
    }

    /// The Jacobian times the directions.
    void by_columns(const PoseDirections& directions, std::int64_t count, double* derivatives) {
        const std::int64_t rows = 3 * vertices_;
        rows_.resize(static_cast<std::size_t>(rows * width_));
        model_.jacobian({pose_.data(), {1, width_}}, {rows_.data(), {1, rows, width_}}, 1);
        for (std::int64_t row = 0; row < rows; ++row) {
            const float* from = &rows_[row * width_];
            double* to = derivatives + row * count;
            for (const JointChange& change : directions.joints) {
                const float* joint = from + 12 * change.joint;
                double sum = 0.0;
                for (int i = 0; i < 12; ++i) sum += joint[i] * change.change[i];
                to[change.direction] += sum;
            }
            for (const DialChange& change : directions.dials) to[change.direction] += from[change.column];
        }
    }

    const Deformer& model_;
    std::int64_t width_;
    std::int64_t vertices_;
    bool has_jacobian_;
    std::vector<float> pose_;      // (C) the last one
    std::vector<float> repeated_;  // (N, C)
    std::vector<float> tangents_;  // (N, C)
    std::vector<float> rows_;      // (N, 3 V) or (3 V, C)
};

class GeneralLinearizer final : public Linearizer {
public:
    GeneralLinearizer(const Deformer& model, bool has_jacobian) : model_(model), has_jacobian_(has_jacobian) {}
    std::unique_ptr<Linearization> start() const override {
        return std::make_unique<GeneralLinearization>(model_, has_jacobian_);
    }

private:
    const Deformer& model_;
    bool has_jacobian_;
};

}  // namespace

std::unique_ptr<Linearizer> general_linearizer(const Deformer& model, bool has_jacobian) {
    return std::make_unique<GeneralLinearizer>(model, has_jacobian);
}

std::unique_ptr<Linearizer> Deformer::linearizer() const {
    return general_linearizer(*this, false);
}

}  // namespace rigcast::rig
