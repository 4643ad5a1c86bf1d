#include "rigcast/core/instruction_set.h"

#include <hwy/detect_targets.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#if HWY_ARCH_X86 && defined(_MSC_VER)
#include <intrin.h>
#elif HWY_ARCH_X86
#include <cpuid.h>
#endif

#include "rigcast/core/error.h"

namespace rigcast {
namespace {

struct KnownSet {
    const char* name;
    std::int64_t target;  // Highway's bit
};

#ifdef HWY_NEON_WITHOUT_AES  // newer headers split the set of ARM
constexpr KnownSet neon{"NEON", HWY_NEON | HWY_NEON_WITHOUT_AES};
#else
constexpr KnownSet neon{"NEON", HWY_NEON};
#endif

/// In the order of RIGCAST_EXPORT. Without vector instructions Highway compiles one of two forms.
constexpr std::array<KnownSet, 6> known_sets{{{"AVX-512", HWY_AVX3},
                                              {"AVX2", HWY_AVX2},
                                              {"SSE4", HWY_SSE4},
                                              neon,
                                              {"WASM", HWY_WASM},
                                              {"portable", HWY_EMU128 | HWY_SCALAR}}};

constexpr bool all_are_known() {
    std::int64_t named = 0;
    for (const KnownSet& set : known_sets) named |= set.target;
    return (HWY_TARGETS & ~named) == 0;
}
static_assert(all_are_known(), "Highway compiles kernels for a set that has no name here and no entry in dispatch.h");

#if HWY_ARCH_X86

struct Registers {
    std::uint32_t a = 0, b = 0, c = 0, d = 0;
};

/// The processor's description of itself; zeros beyond the leaves that it has.
Registers cpuid(std::uint32_t leaf) {
    Registers r;
#ifdef _MSC_VER
    int found[4];
    __cpuid(found, static_cast<int>(leaf & 0x80000000u));
    if (static_cast<std::uint32_t>(found[0]) < leaf) return r;
    __cpuidex(found, static_cast<int>(leaf), 0);
    r = {static_cast<std::uint32_t>(found[0]), static_cast<std::uint32_t>(found[1]),
         static_cast<std::uint32_t>(found[2]), static_cast<std::uint32_t>(found[3])};
#else
    __get_cpuid_count(leaf, 0, &r.a, &r.b, &r.c, &r.d);
#endif
    return r;
}

/// The registers that the system saves when it switches threads (XCR0). Call it only where cpuid says OSXSAVE.
std::uint64_t saved_registers() {
#ifdef _MSC_VER
    return _xgetbv(0);
#else
    std::uint32_t low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (std::uint64_t{high} << 32) | low;
#endif
}

constexpr bool all_of(std::uint64_t bits, std::initializer_list<int> wanted) {
    return std::all_of(wanted.begin(), wanted.end(), [bits](int bit) { return (bits >> bit) & 1; });
}

/// Highway's bits of the sets whose every instruction, as compilers are allowed to use them in its functions
/// (HWY_TARGET_STR), this processor has, with registers that the system saves. Intel SDM, volume 2A, CPUID; volume 1,
/// 13.3. The compilers' own __builtin_cpu_supports is not used: it answers no with some of them.
std::int64_t sets_of_this_processor() {
    const Registers basic = cpuid(1), more = cpuid(7), extended = cpuid(0x80000001u);
    std::int64_t sets = 0;
    // SSE, SSE2; SSE3, PCLMULQDQ, SSSE3, SSE4.1, SSE4.2, AES
    if (!all_of(basic.d, {25, 26}) || !all_of(basic.c, {0, 1, 9, 19, 20, 25})) return sets;
    sets |= HWY_SSE4;
    // FMA, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT
    if (!all_of(basic.c, {12, 27, 28, 29}) || !all_of(more.b, {3, 5, 8}) || !all_of(extended.c, {5})) return sets;
    const std::uint64_t saved = saved_registers();
    if (!all_of(saved, {1, 2})) return sets;  // XMM, YMM
    sets |= HWY_AVX2;
    // AVX512F, DQ, CD, BW, VL; masks and both parts of the ZMM registers
    if (all_of(more.b, {16, 17, 28, 30, 31}) && all_of(saved, {5, 6, 7})) sets |= HWY_AVX3;
    return sets;
}

#else

std::int64_t sets_of_this_processor() {
    return 0;
}  // elsewhere the set of the whole build is the only one

#endif

bool runs(const KnownSet& set) {
    static const std::int64_t found = sets_of_this_processor() | HWY_STATIC_TARGET | HWY_EMU128 | HWY_SCALAR;
    return (set.target & HWY_TARGETS & found) != 0;
}

std::size_t choose() {
    const char* variable = std::getenv("RIGCAST_INSTRUCTION_SET");
    const std::string wanted = variable == nullptr ? "" : variable;
    const auto found = std::find_if(known_sets.begin(), known_sets.end(), [&](const auto& set) {
        return runs(set) && (wanted.empty() || set.name == wanted);
    });
    if (found == known_sets.end()) {
        std::string known;
        for (const std::string& name : instruction_sets()) known += (known.empty() ? "" : ", ") + name;
        throw bad_argument("instruction_set", "RIGCAST_INSTRUCTION_SET", "'" + wanted + "'", "one of: " + known);
    }
    return static_cast<std::size_t>(found - known_sets.begin());
}

}  // namespace

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (const KnownSet& set : known_sets) {
        if (runs(set)) names.emplace_back(set.name);
    }
    return names;
}

std::size_t chosen_set() {
    static const std::size_t chosen = choose();
    return chosen;
}

const std::string& instruction_set() {
    static const std::string name = known_sets[chosen_set()].name;
    return name;
}

}  // namespace rigcast
