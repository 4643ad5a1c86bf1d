// A host's threads in place of the library's own: every piece once, the same bytes, exceptions at the caller, bodies in
// bodies, and schedulers that call too seldom.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "rigcast/core/parallel.h"
#include "rigcast/core/scratch.h"

namespace {

using namespace rigcast;

/// Three threads that take tasks from a queue.
class ToyPool final : public Scheduler {
public:
    ToyPool() {
        for (int i = 0; i < 3; ++i) threads_.emplace_back([this] { serve(); });
    }
    ~ToyPool() override {
        {
            const std::lock_guard<std::mutex> guard(lock_);
            ends_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }
    ToyPool(const ToyPool&) = delete;
    ToyPool& operator=(const ToyPool&) = delete;

    void run(int calls, const std::function<void()>& work) override {
        ++runs;
        std::mutex lock;
        std::condition_variable ended;
        int left = calls;
        {
            const std::lock_guard<std::mutex> guard(lock_);
            for (int i = 0; i < calls; ++i) {
                queue_.push_back([&] {
                    work();
                    const std::lock_guard<std::mutex> own(lock);
                    if (--left == 0) ended.notify_one();
                });
            }
        }
        wake_.notify_all();
        std::unique_lock<std::mutex> guard(lock);
        ended.wait(guard, [&] { return left == 0; });
    }

    std::atomic<int> runs{0};

private:
    void serve() {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> guard(lock_);
                wake_.wait(guard, [this] { return ends_ || !queue_.empty(); });
                if (queue_.empty()) return;
                task = std::move(queue_.front());
                queue_.pop_front();
            }
            task();
        }
    }

    std::mutex lock_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> queue_;
    bool ends_ = false;
    std::vector<std::thread> threads_;
};

/// Never calls.
class IdleScheduler final : public Scheduler {
public:
    void run(int, const std::function<void()>&) override {}
};

/// How often each of 1,000 indices was worked on; bodies lease memory and call parallel_for again.
std::vector<int> count_work() {
    std::vector<int> seen(1000, 0);
    const Scratch::Lease<int> outside(10);
    parallel_for(1000, 7, 4, [&](std::int64_t begin, std::int64_t end) {
        const Scratch::Lease<int> own(10);
        parallel_for(end - begin, 1, 4, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t i = first; i < last; ++i) ++seen[begin + i];
        });
    });
    return seen;
}

bool throws() {
    try {
        parallel_for(100, 1, 4, [](std::int64_t begin, std::int64_t) {
            if (begin == 50) throw std::runtime_error("fifty");
        });
    } catch (const std::runtime_error& error) {
        return std::string(error.what()) == "fifty";
    }
    return false;
}

int expect(bool holds, const char* what) {
    if (!holds) std::printf("WRONG: %s\n", what);
    return holds ? 0 : 1;
}

}  // namespace

int main() {
    const std::vector<int> once(1000, 1);
    int wrong = 0;
    ToyPool pool;
    set_scheduler(&pool);
    wrong += expect(count_work() == once, "a host's pool works on every index once");
    wrong += expect(pool.runs == 1, "bodies in bodies do not ask the host again");
    wrong += expect(throws(), "an exception of a body reaches the caller through a host's pool");
    std::vector<std::thread> callers;
    std::atomic<int> right{0};
    for (int i = 0; i < 4; ++i) callers.emplace_back([&] { right += count_work() == once ? 1 : 0; });
    for (std::thread& caller : callers) caller.join();
    wrong += expect(right == 4, "several threads call at once");
    IdleScheduler idle;
    set_scheduler(&idle);
    wrong += expect(count_work() == once, "a scheduler that never calls leaves the work to the caller");
    const int before = pool.runs;
    set_scheduler(nullptr);
    wrong += expect(count_work() == once && pool.runs == before, "nullptr brings the library's own pool back");
    if (wrong == 0) std::puts("a host's threads do the work");
    return wrong;
}
