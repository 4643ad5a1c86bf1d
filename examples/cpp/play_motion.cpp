// Evaluates a model over a motion and writes a PC2 point cache: play_motion MODEL.safetensors POSES.f32 OUT.pc2
// POSES.f32 holds float32 rows (T, C), little endian: numpy's poses.astype("<f4").tofile("POSES.f32").
#include <rigcast/rigcast.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::int64_t frames_at_once = 64;

void put(std::ofstream& file, const auto* values, std::int64_t count) {
    file.write(reinterpret_cast<const char*>(values), count * static_cast<std::int64_t>(sizeof *values));
}

/// The header for one sample per frame, from frame 1 on. PC2 is little endian, as the machines are that this runs on.
void put_header(std::ofstream& file, std::int32_t vertices, std::int32_t frames) {
    const std::int32_t version = 1;
    const float first_and_step[] = {1.0f, 1.0f};
    file.write("POINTCACHE2", 12);
    put(file, &version, 1);
    put(file, &vertices, 1);
    put(file, first_and_step, 2);
    put(file, &frames, 1);
}

}  // namespace

int main(int count, char** arguments) try {
    using namespace rigcast;
    if (count != 4) return std::puts("usage: play_motion MODEL.safetensors POSES.f32 OUT.pc2"), 2;
    const auto model = make_model(std::make_shared<const TensorFile>(TensorFile::read(arguments[1])));
    const std::int64_t vertices = model->character().num_vertices();
    const std::int64_t columns = model->character().num_controls();

    const auto frames = static_cast<std::int64_t>(std::filesystem::file_size(arguments[2]) / sizeof(float)) / columns;
    if (frames < 1) throw std::runtime_error("the motion has no frame of the model");
    std::vector<float> poses(static_cast<std::size_t>(frames * columns));
    std::ifstream motion(arguments[2], std::ios::binary);
    motion.read(reinterpret_cast<char*>(poses.data()), frames * columns * static_cast<std::int64_t>(sizeof(float)));

    std::ofstream cache(arguments[3], std::ios::binary);
    put_header(cache, static_cast<std::int32_t>(vertices), static_cast<std::int32_t>(frames));
    std::vector<float> points(static_cast<std::size_t>(3 * vertices * std::min(frames, frames_at_once)));
    for (std::int64_t t = 0; t < frames; t += frames_at_once) {
        const std::int64_t now = std::min(frames_at_once, frames - t);
        model->evaluate({poses.data() + t * columns, {now, columns}}, {points.data(), {now, vertices, 3}}, 0);
        put(cache, points.data(), 3 * vertices * now);
    }
    return cache.flush() ? 0 : throw std::runtime_error("the cache could not be written");
} catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
}
