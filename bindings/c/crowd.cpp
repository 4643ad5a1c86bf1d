#include "rigcast/crowd/crowd.h"

#include "bindings/c/calls.h"

namespace c = rigcast::c;
using rigcast::View;

struct rigcast_crowd {
    explicit rigcast_crowd(rigcast::crowd::Crowd made) : crowd(std::move(made)) {}
    rigcast::crowd::Crowd crowd;
};

namespace {

/// The number of heads of a call. Throws ArgumentError if it is negative or no int32.
std::int64_t checked_count(const char* function, std::int64_t heads) {
    if (heads >= 0 && heads <= std::numeric_limits<std::int32_t>::max()) return heads;
    throw rigcast::bad_argument(function, "heads", std::to_string(heads), "from 0 to 2^31 - 1");
}

/// The heads of a call; all shapes if no prefixes are given.
struct GivenHeads {
    GivenHeads(const char* function, const rigcast::crowd::Crowd& crowd, std::int64_t heads_given, const int32_t* clips,
               const double* frames, const int32_t* prefixes)
        : count(checked_count(function, heads_given)),
          all(prefixes == nullptr ? static_cast<std::size_t>(count) : 0,
              static_cast<std::int32_t>(crowd.rig().num_shapes())),
          heads{c::array<const int32_t, 1>(function, "clip", clips, count, {count}),
                c::array<const double, 1>(function, "frame", frames, count, {count}),
                c::array<const int32_t, 1>(function, "prefix", prefixes == nullptr ? all.data() : prefixes, count,
                                           {count})} {}

    std::int64_t count;
    std::vector<std::int32_t> all;
    rigcast::crowd::Heads heads;
};

}  // namespace

rigcast_status rigcast_crowd_new(const rigcast_model* model, const float* weights, int64_t weight_count,
                                 const int64_t* clip_frames, int64_t clips, const int32_t* order, int64_t order_count,
                                 rigcast_crowd** crowd) {
    return c::guarded([&] {
        rigcast_crowd*& out = c::place("crowd", crowd);
        const auto rig = c::blendshapes_of("Crowd", model);
        const std::int64_t shapes = rig->num_shapes(), rows = shapes == 0 ? 0 : weight_count / shapes;
        const auto curves = c::array<const float, 2>("Crowd", "weights", weights, weight_count, {rows, shapes});
        const auto lengths = c::array<const int64_t, 1>("Crowd", "clip_frames", clip_frames, clips, {clips});
        const auto by = c::given_array<1>("Crowd", "order", rigcast_integers{order, order_count}, {shapes});
        out = c::handed_out(std::make_unique<rigcast_crowd>(rigcast::crowd::Crowd(rig, curves, lengths, by)));
    });
}

rigcast_status rigcast_crowd_evaluate(const rigcast_crowd* crowd, int64_t heads, const int32_t* clip,
                                      const double* frame, const int32_t* prefix, float* vertices, int64_t vertex_count,
                                      int32_t threads) {
    return c::guarded([&] {
        const rigcast::crowd::Crowd& of = c::object("crowd", crowd).crowd;
        rigcast::check_threads("evaluate", threads);
        const GivenHeads given("evaluate", of, heads, clip, frame, prefix);
        const std::int64_t count = of.rig().character().num_vertices();
        of.evaluate(given.heads, c::array<float, 3>("evaluate", "vertices", vertices, vertex_count, {heads, count, 3}),
                    threads);
    });
}

rigcast_status rigcast_crowd_distinct(const rigcast_crowd* crowd, int64_t heads, const int32_t* clip,
                                      const double* frame, const int32_t* prefix, int64_t* distinct, int32_t* first,
                                      int32_t* of_head) {
    return c::guarded([&] {
        const rigcast::crowd::Crowd& of = c::object("crowd", crowd).crowd;
        const GivenHeads given("distinct", of, heads, clip, frame, prefix);
        if (distinct == nullptr) throw rigcast::bad_argument("distinct", "distinct", "NULL", "where to write a number");
        const auto firsts = c::array<int32_t, 1>("distinct", "first", first, heads, {heads});
        const auto states_of = c::array<int32_t, 1>("distinct", "of_head", of_head, heads, {heads});
        const rigcast::crowd::States states = of.states("distinct", given.heads);
        *distinct = std::ssize(states.first);
        std::copy(states.first.begin(), states.first.end(), firsts.begin());
        std::copy(states.of_head.begin(), states.of_head.end(), states_of.begin());
    });
}

void rigcast_crowd_free(rigcast_crowd* crowd) {
    c::free_object(crowd);
}
