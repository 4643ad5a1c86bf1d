// Which starts a frame is solved from, and when restarts are due: one row per frame, with the facts that the schedule
// is given and the starts that it must ask for.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "rigcast/inverse/frames/solve_frames.h"

namespace {

using namespace rigcast::inverse;

constexpr RestartKinds combinations{.can_restart = true};
constexpr RestartKinds linear{};
constexpr RestartKinds in_betweens{.can_restart = true, .can_cross_knots = true};
constexpr RestartKinds hidden{.can_restart = true, .can_multistart = true};

/// A frame of a table. All frames between those that are listed follow without a jump, a far step or a restart.
struct Row {
    std::int64_t frame;
    bool targets_jump;
    bool follows_solution;
    bool is_far_step;
    bool found_lower;  // reported if the frame restarts
    bool from_given;   // expected
    bool restarts;     // expected
};

bool follows(const char* name, const RestartKinds& kinds, const std::vector<Row>& rows) {
    RestartSchedule schedule(kinds);
    std::size_t next = 0;
    for (std::int64_t t = 0; t <= rows.back().frame; ++t) {
        const Row quiet{t, false, true, false, false, false, false};
        const Row& row = rows[next].frame == t ? rows[next++] : quiet;
        const bool from_given = schedule.begin_frame(row.targets_jump, row.follows_solution);
        const RestartSchedule::Others others = schedule.try_others(row.is_far_step);
        if (others.restart) schedule.end_restart(row.found_lower);
        if (from_given == row.from_given && others.restart == row.restarts &&
            others.beyond_knots == kinds.can_cross_knots) {
            continue;
        }
        std::printf("%s, frame %lld: %s start, %s, %s knots\n", name, static_cast<long long>(t),
                    from_given ? "the given" : "the frame before's", others.restart ? "restart" : "no restart",
                    others.beyond_knots ? "beyond" : "not beyond");
        return false;
    }
    return true;
}

bool check_tables() {
    //                 frame jump  follows far   lower  given  restarts
    const Row first = {0, false, false, false, false, true, true};
    bool right = true;
    right &= follows("periods double up to 128 frames", combinations,
                     {first,
                      {32, false, true, false, false, false, true},
                      {96, false, true, false, false, false, true},
                      {224, false, true, false, false, false, true},
                      {352, false, true, false, false, false, true}});
    right &= follows("a restart that finds a lower minimum makes the period short again", combinations,
                     {first,
                      {32, false, true, false, false, false, true},
                      {96, false, true, false, true, false, true},
                      {128, false, true, false, false, false, true}});
    right &= follows("the first frame's period is short whatever it finds", combinations,
                     {{0, false, false, false, true, true, true}, {32, false, true, false, false, false, true}});
    right &= follows("a jump starts from the given weights and restarts", combinations,
                     {first, {10, true, true, false, false, true, true}, {74, false, true, false, false, false, true}});
    right &= follows("a frame after one without a solution starts from the given weights", combinations,
                     {first, {5, false, false, false, false, true, true}});
    right &= follows("a far step restarts if the rig has variables for multistart", hidden,
                     {first, {7, false, true, true, false, false, true}, {71, false, true, false, false, false, true}});
    right &= follows("a far step does not restart otherwise", combinations,
                     {first, {7, false, true, true, false, false, false}});
    right &= follows("rigs with in-betweens cross knots in every frame", in_betweens,
                     {first, {32, false, true, false, false, false, true}});
    right &= follows("linear rigs never restart", linear,
                     {{0, false, false, false, false, true, false},
                      {10, true, true, true, false, true, false},
                      {40, false, true, false, false, false, false}});
    return right;
}

bool check_facts() {
    const std::vector<double> before{3.0, 4.0};  // of norm 5
    const std::vector<double> near{3.0, 5.4};
    const std::vector<double> far{3.0, 6.5};
    const std::vector<double> zeros{0.0, 0.0};
    const std::vector<double> tens{10.0, 10.0};
    const std::vector<double> step{0.9, 0.0};
    const std::vector<double> far_step{0.0, 1.1};
    const bool right = !targets_jump(near, before) && targets_jump(far, before) && !targets_jump(before, before) &&
                       !is_far_step(step, zeros, zeros, tens) && is_far_step(far_step, zeros, zeros, tens);
    if (!right) std::puts("a jump is 0.3 of the norm, a far step 0.1 of a range");
    return right;
}

bool mirrors(double x, double expected) {
    double mirrored = std::numeric_limits<double>::quiet_NaN();
    return mirror_at_knot(0.5, 0.0, 1.0, x, mirrored) && std::abs(mirrored - expected) < 1e-15;
}

bool check_mirroring() {
    double unused = 0.0;
    const bool right = mirrors(0.48, 0.52) && mirrors(0.53, 0.47) && mirrors(0.5, 0.45) &&
                       !mirror_at_knot(0.5, 0.0, 1.0, 0.56, unused) && !mirror_at_knot(0.0, 0.0, 1.0, 0.01, unused) &&
                       !mirror_at_knot(1.0, 0.0, 1.0, 0.99, unused) &&
                       !mirror_at_knot(0.5, 0.0, 1.0, std::numeric_limits<double>::quiet_NaN(), unused);
    if (!right) std::puts("weights within 0.05 of their range of a knot inside the box are mirrored at it");
    return right;
}

}  // namespace

int main() {
    bool right = check_tables();
    right = check_facts() && right;
    right = check_mirroring() && right;
    if (right) std::puts("restarts keep to their schedule");
    return right ? 0 : 1;
}
