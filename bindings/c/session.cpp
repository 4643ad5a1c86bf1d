#include "rigcast/rig/session.h"

#include "bindings/c/calls.h"

namespace c = rigcast::c;

struct rigcast_session {
    explicit rigcast_session(std::shared_ptr<const rigcast::rig::Deformer> model) : session(std::move(model)) {}
    rigcast::rig::Session session;
};

rigcast_status rigcast_session_new(const rigcast_model* model, rigcast_session** session) {
    return c::guarded([&] {
        rigcast_session*& out = c::place("session", session);
        out = c::handed_out(std::make_unique<rigcast_session>(c::object("model", model).model));
    });
}

rigcast_status rigcast_session_evaluate(rigcast_session* session, const float* pose, int64_t pose_count,
                                        float* vertices, int64_t vertex_count) {
    return c::guarded([&] {
        rigcast::rig::Session& with = c::object("session", session).session;
        const rigcast::rig::Character& character = with.model().character();
        const auto from = c::array<const float, 1>("evaluate", "pose", pose, pose_count, {character.num_controls()});
        with.evaluate(
            from, c::array<float, 2>("evaluate", "vertices", vertices, vertex_count, {character.num_vertices(), 3}));
    });
}

rigcast_status rigcast_session_set_detail(rigcast_session* session, const float* detail, int64_t count) {
    return c::guarded([&] {
        rigcast::rig::Session& with = c::object("session", session).session;
        with.set_detail(c::array<const float, 1>("set_detail", "detail", detail, count, {count}));
    });
}

void rigcast_session_free(rigcast_session* session) {
    c::free_object(session);
}
