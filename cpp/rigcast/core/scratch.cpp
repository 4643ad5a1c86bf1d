#include "rigcast/core/scratch.h"

#include <algorithm>
#include <array>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include "rigcast/core/aligned.h"

namespace rigcast {
namespace {

using Bytes = LineAllocator<std::byte>;

}  // namespace

/// The memory of one level: at most one lease uses it.
struct Scratch::Slot {
    Slot() = default;
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() { free(); }

    void free() {
        if (memory != nullptr) Bytes().deallocate(memory, size);
        memory = nullptr;
        size = 0;
    }

    std::byte* memory = nullptr;
    std::size_t size = 0;
    bool leased = false;
};

/// The slots of a thread, one per level of nested bodies whose callers lease. Four levels are more than the engine
/// nests.
struct Scratch::Levels {
    std::array<Slot, 4> slots;
    std::size_t depth = 0;
};

Scratch::Levels& Scratch::levels() {
    thread_local Levels levels_of_thread;
    return levels_of_thread;
}

Scratch::Slot* Scratch::acquire(std::size_t count, std::size_t element) {
    Levels& all = levels();
    Slot& slot = all.slots[all.depth];
    if (slot.leased) {
        throw std::logic_error(
            "Scratch::Lease: this thread's working memory is leased already; a function must take one lease, split it "
            "and call nothing that leases outside of parallel_for");
    }
    if (count > std::numeric_limits<std::size_t>::max() / element) throw std::bad_array_new_length();
    const std::size_t size = std::max<std::size_t>(1, count * element);
    if (size > slot.size) {
        slot.free();  // before the allocation, so that both never exist at once
        slot.memory = Bytes().allocate(size);
        slot.size = size;
    }
    slot.leased = true;
    return &slot;
}

void Scratch::release(Slot* slot) noexcept {
    slot->leased = false;
    if (slot->size > max_cached_bytes) slot->free();
}

void* Scratch::data(const Slot* slot) {
    return slot->memory;
}

std::size_t Scratch::allocated_bytes() {
    std::size_t bytes = 0;
    for (const Slot& slot : levels().slots) bytes += slot.size;
    return bytes;
}

Scratch::Inside::Inside() : deeper_(levels().slots[levels().depth].leased) {
    if (!deeper_) return;
    Levels& all = levels();
    if (all.depth + 1 == all.slots.size()) {
        throw std::logic_error("parallel_for: leases of working memory stand inside each other " +
                               std::to_string(all.slots.size()) + " deep, which is the limit");
    }
    ++all.depth;
}

Scratch::Inside::~Inside() {
    if (deeper_) --levels().depth;
}

}  // namespace rigcast
