// Where the system starts no helper thread, parallel_for does all work on the caller's. The default stack of new
// threads is made larger than the address space, so that none can start, whoever runs this.
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <system_error>
#include <thread>
#include <vector>

#include "rigcast/core/parallel.h"

namespace {

bool let_no_thread_start() {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    const bool set = pthread_attr_setstacksize(&attributes, std::size_t{1} << 47) == 0 &&
                     pthread_setattr_default_np(&attributes) == 0;
    pthread_attr_destroy(&attributes);
    if (!set) return false;
    try {
        std::thread([] {}).join();
    } catch (const std::system_error&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    if (!let_no_thread_start() || rigcast::num_processors() == 1) return std::puts("threads start: skipped"), 77;
    std::vector<int> seen(1000, 0);
    rigcast::parallel_for(1000, 7, 4, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++seen[i];
    });
    for (const int times : seen) {
        if (times != 1) return std::puts("an index was not worked on once"), 1;
    }
    return std::puts("all work was done without helpers"), 0;
}
