// One pose of a small rig through the C library and directly: call_overhead MODEL.safetensors
#include <rigcast/rigcast.h>
#include <rigcast/rigcast_c.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

constexpr int calls = 20000, rounds = 25;

/// Microseconds per call: the best of the rounds, of which each has some calls of one and then of the other.
template <class A, class B>
std::pair<double, double> best_of(A&& one, B&& other) {
    const auto time = [](auto& call) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) call();
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / calls;
    };
    std::pair<double, double> best(1e9, 1e9);
    for (int round = 0; round < rounds; ++round) {
        best.first = std::min(best.first, time(one));
        best.second = std::min(best.second, time(other));
    }
    return best;
}

void print(const char* name, std::pair<double, double> times) {
    std::printf("%s %.3f %.3f\n", name, times.first, times.second);
}

}  // namespace

int main(int, char** arguments) {
    const auto file = std::make_shared<const rigcast::TensorFile>(rigcast::TensorFile::read(arguments[1]));
    const auto direct = rigcast::make_model(file);
    rigcast_model* model = nullptr;
    rigcast_session* session = nullptr;
    if (rigcast_open(arguments[1], &model) != RIGCAST_OK) return std::puts(rigcast_error()), 1;
    if (rigcast_session_new(model, &session) != RIGCAST_OK) return std::puts(rigcast_error()), 1;
    const std::int64_t columns = direct->character().num_controls(), vertices = direct->character().num_vertices();
    std::vector<float> pose(static_cast<std::size_t>(columns), 0.5f), points(static_cast<std::size_t>(3 * vertices));
    float confidence = 0.0f;
    rigcast::rig::Session own(direct);

    print("confidence", best_of(
                            [&] {
                                direct->confidence({pose.data(), {1, columns}}, {&confidence, {1}});
                            },
                            [&] { rigcast_confidence(model, 1, pose.data(), columns, &confidence, 1); }));
    print("evaluate", best_of(
                          [&] {
                              direct->evaluate({pose.data(), {1, columns}}, {points.data(), {1, vertices, 3}}, 1);
                          },
                          [&] { rigcast_evaluate(model, 1, pose.data(), columns, points.data(), 3 * vertices, 1); }));
    print("session",
          best_of(
              [&] {
                  own.evaluate({pose.data(), {columns}}, {points.data(), {vertices, 3}});
              },
              [&] { rigcast_session_evaluate(session, pose.data(), columns, points.data(), 3 * vertices); }));
    rigcast_session_free(session);
    rigcast_model_free(model);
    return 0;
}
