#include "rigcast/core/instruction_set.h"

#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "rigcast/core/error.h"

namespace rigcast {
namespace {

std::string target_name(std::int64_t target) {
    const std::string name = hwy::TargetName(target);
    if (name == "AVX3") return "AVX-512";
    return name == "EMU128" || name == "SCALAR" ? "portable" : name;
}

/// Bits of the targets that are compiled and can run, best (lowest bit) first.
std::vector<std::int64_t> targets() {
    static const std::int64_t supported = hwy::SupportedTargets();
    std::vector<std::int64_t> bits;
    for (std::int64_t left = HWY_TARGETS & (supported | HWY_STATIC_TARGET); left != 0; left &= left - 1) {
        bits.push_back(left & -left);
    }
    return bits;
}

std::string choose() {
    const std::vector<std::int64_t> bits = targets();
    const char* variable = std::getenv("RIGCAST_INSTRUCTION_SET");
    const std::string wanted = variable == nullptr ? "" : variable;
    if (wanted.empty()) return target_name(bits.front());
    const auto found = std::find_if(bits.begin(), bits.end(), [&](auto bit) { return target_name(bit) == wanted; });
    if (found == bits.end()) {
        std::string known;
        for (const std::int64_t bit : bits) known += (known.empty() ? "" : ", ") + target_name(bit);
        throw bad_argument("instruction_set", "RIGCAST_INSTRUCTION_SET", "'" + wanted + "'", "one of: " + known);
    }
    hwy::DisableTargets(*found - 1);  // all better ones: they have lower bits
    return wanted;
}

}  // namespace

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const std::int64_t bit : targets()) names.push_back(target_name(bit));
    return names;
}

const std::string& instruction_set() {
    static const std::string chosen = choose();
    return chosen;
}

}  // namespace rigcast
