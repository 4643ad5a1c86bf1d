#include "rigcast/ik/limbs/foot_offset.h"

namespace rigcast::ik {

std::vector<Vec3> offset_goals(const std::vector<Vec3>& toes, View<const std::uint8_t, 2> contacts, std::int64_t column,
                               const FootLockRules& rules) {
    const std::int64_t frames = contacts.extent(0);
    const std::int64_t window = std::lround(rules.blend * rules.fps);
    std::vector<Vec3> goals(toes.size(), Vec3{});
    for (std::int64_t begin = 0, end = 0; begin < frames; begin = end + 1) {
        end = begin;
        if (contacts(begin, column) == 0) continue;
        const Vec3 first = toes[static_cast<std::size_t>(begin)];
        Vec3 sum{};
        double count = 0.0;
        for (; end < frames && contacts(end, column) != 0; ++end) {
            const Vec3 away = toes[static_cast<std::size_t>(end)] - first;
            if (length(away) > rules.release) continue;
            sum = sum + away;
            count += 1.0;
        }
        for (std::int64_t t = begin; t >= 0 && t > begin - window && (t == begin || contacts(t, column) == 0); --t) {
            goals[static_cast<std::size_t>(t)] = (1.0 / count) * sum;
        }
    }
    return goals;
}

}  // namespace rigcast::ik
