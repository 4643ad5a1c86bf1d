#include "rigcast/rig/session.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "rigcast/rig/blendshapes/blendshape_rig.h"
#include "rigcast/rig/blendshapes/kernels.h"

namespace rigcast::rig {

/// Evaluates successive poses: recomputes only the groups that a column with a changed activation moves.
class BlendshapeSession final : public SessionState {
public:
    explicit BlendshapeSession(const BlendshapeRig& rig)
        : rig_(rig),
          activations_(static_cast<std::size_t>(rig.num_columns())),
          next_(activations_.size()),
          used_(static_cast<std::size_t>(rig.grouped().num_words())),
          changed_(used_.size()),
          row_begin_(static_cast<std::size_t>(rig.grouped().row_list_size())),
          row_column_(row_begin_.size()) {}

    void update(const float* pose, const float* previous, float* vertices) override {
        find_changes(pose, previous == nullptr);
        const GroupedColumns& grouped = rig_.grouped();
        const float* neutral = rig_.character().rest_vertices.data();
        for (std::int64_t w = 0; w < grouped.num_windows(); ++w) {
            if (previous == nullptr) copy_unmoved(grouped.unmoved(w), neutral, vertices);
            for (std::int64_t g = grouped.first_group(w); g < grouped.first_group(w + 1); ++g) {
                const GroupedColumns::Group group = grouped.group(g);
                if (previous == nullptr || is_changed(group.columns)) evaluate(group, neutral, vertices);
            }
        }
    }

private:
    /// Updates the activations and both sets; `all`: every column counts as changed.
    void find_changes(const float* pose, bool all) {
        const GroupedColumns& grouped = rig_.grouped();
        rig_.activations({pose, {rig_.num_shapes()}}, {next_.data(), {rig_.num_columns()}});
        std::fill(used_.begin(), used_.end(), 0u);
        std::fill(changed_.begin(), changed_.end(), all ? ~0u : 0u);
        for (std::int64_t n = 0; n < rig_.num_columns(); ++n) {
            const std::uint32_t bit = std::uint32_t{1} << (n % 32);
            if (next_[n] != 0.0f) {
                next_[n] *= grouped.scale(n);
                used_[n / 32] |= bit;
            }
            if (std::memcmp(&next_[n], &activations_[n], sizeof(float)) != 0) changed_[n / 32] |= bit;
        }
        activations_.swap(next_);
    }

    bool is_changed(const std::int32_t* columns) const {
        std::uint32_t common = 0;
        for (std::size_t i = 0; i < changed_.size(); ++i)
            common |= static_cast<std::uint32_t>(columns[i]) & changed_[i];
        return common != 0;
    }

    void evaluate(const GroupedColumns::Group& group, const float* neutral, float* vertices) {
        const BlendshapeKernels& kernels = blendshape_kernels();
        const GroupedColumns& grouped = rig_.grouped();
        const GroupRows rows = grouped.rows(group, used_.data(), row_begin_.data(), row_column_.data());
        if (grouped.is_int16()) {
            kernels.evaluate_frame_int16(rows, grouped.int16_values_from(group), neutral, activations_.data(),
                                         vertices);
        } else {
            kernels.evaluate_frame(rows, grouped.float_values_from(group), neutral, activations_.data(), vertices);
        }
    }

    const BlendshapeRig& rig_;
    std::vector<float> activations_;       // (N) of the last pose, times the scales of the columns
    std::vector<float> next_;              // (N) memory for those of the next one
    std::vector<std::uint32_t> used_;      // set of the columns whose activation is not 0
    std::vector<std::uint32_t> changed_;   // set of the columns whose activation changed
    std::vector<std::int64_t> row_begin_;  // memory for GroupRows
    std::vector<std::int32_t> row_column_;
};

std::unique_ptr<SessionState> BlendshapeRig::new_session_state() const {
    return std::make_unique<BlendshapeSession>(*this);
}

}  // namespace rigcast::rig
