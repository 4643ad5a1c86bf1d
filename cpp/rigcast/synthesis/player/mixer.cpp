#include "rigcast/synthesis/player/mixer.h"

#include <algorithm>

#include "rigcast/rig/rotations/rotation_vector.h"

namespace rigcast::synthesis {
namespace {

rig::Matrix3 exponential(const rig::Vec3& vector) {
    rig::Matrix3 matrix;
    rig::rotation_of(vector, matrix.data());
    return matrix;
}

}  // namespace

double smooth_share(std::int64_t i, std::int64_t count) {
    const double place = static_cast<double>(i + 1) / static_cast<double>(count + 1);
    return place * place * (3.0 - 2.0 * place);
}

void blend(const Controls& controls, const double* first, const double* second, double share, double* out) {
    for (std::int64_t i = 0; i < controls.size(); ++i) out[i] = first[i] + share * (second[i] - first[i]);
    for (std::size_t j = 0; j < controls.joints().size(); ++j) {
        const rig::Matrix3 start = controls.rotation(j, first);
        const rig::Vec3 turn = rig::rotation_vector((transpose(start) * controls.rotation(j, second)).data());
        controls.set_rotation(j, start * exponential(share * turn), out);
    }
}

template <class T>
void difference(const Controls& controls, const T* first, const T* second, double* out) {
    for (std::int64_t i = 0; i < controls.size(); ++i) {
        out[i] = static_cast<double>(first[i]) - static_cast<double>(second[i]);
    }
    for (std::size_t j = 0; j < controls.joints().size(); ++j) {
        const rig::Matrix3 turned = controls.rotation(j, first) * transpose(controls.rotation(j, second));
        const rig::Vec3 vector = rig::rotation_vector(turned.data());
        for (int k = 0; k < 3; ++k) out[controls.joints()[j].columns[static_cast<std::size_t>(k)]] = vector[k];
    }
}
template void difference<float>(const Controls&, const float*, const float*, double*);
template void difference<double>(const Controls&, const double*, const double*, double*);

void shift(const Controls& controls, const double* base, const double* offset, double* out) {
    for (std::int64_t i = 0; i < controls.size(); ++i) out[i] = base[i] + offset[i];
    for (std::size_t j = 0; j < controls.joints().size(); ++j) {
        rig::Vec3 turn;
        for (int k = 0; k < 3; ++k) turn[k] = offset[controls.joints()[j].columns[static_cast<std::size_t>(k)]];
        controls.set_rotation(j, exponential(turn) * controls.rotation(j, base), out);
    }
}

void Decay::at(std::int64_t frame, double* out) const {
    const double length = static_cast<double>(frames);
    const double s = std::clamp(static_cast<double>(frame - begin) / length, 0.0, 1.0), square = s * s;
    const double place = 1.0 + square * s * (-10.0 + 15.0 * s - 6.0 * square);
    const double slope = length * s * (1.0 + square * (-6.0 + 8.0 * s - 3.0 * square));
    for (std::size_t i = 0; i < offset.size(); ++i) out[i] = place * offset[i] + slope * rate[i];
}

Decay Decay::across(const Controls& controls, std::int64_t begin, const float* before, const float* after,
                    std::int64_t frames) {
    const auto width = static_cast<std::size_t>(controls.size());
    Decay decay{begin, std::vector<double>(width), std::vector<double>(width), frames};
    std::vector<double> moves(width);
    difference(controls, before + width, after, decay.offset.data());
    difference(controls, before + width, before, decay.rate.data());
    difference(controls, after + width, after, moves.data());
    for (std::size_t i = 0; i < width; ++i) decay.rate[i] -= moves[i];
    return decay;
}

}  // namespace rigcast::synthesis
