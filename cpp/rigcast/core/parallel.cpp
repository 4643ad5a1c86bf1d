#include "rigcast/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "rigcast/core/interruption.h"
#include "rigcast/core/scratch.h"
#include "rigcast/core/system.h"

namespace rigcast {
namespace {

using Clock = std::chrono::steady_clock;
constexpr Clock::duration between_checks = std::chrono::milliseconds(50);

// Of the Interruptible of this thread.
thread_local Interruption* interruption = nullptr;
thread_local Clock::time_point check_due;
thread_local bool check_later = false;  // a lock is held, for which a thread may wait that holds what the check needs

bool interruption_is_due() {
    return interruption != nullptr && Clock::now() >= check_due;
}

/// While it lives, check_interruption() does nothing on this thread.
class CheckLater {
public:
    CheckLater() : outer_(std::exchange(check_later, true)) {}
    ~CheckLater() { check_later = outer_; }
    CheckLater(const CheckLater&) = delete;
    CheckLater& operator=(const CheckLater&) = delete;

private:
    bool outer_;
};

/// One call of parallel_for, which several threads work on.
struct Job {
    std::int64_t count = 0;
    std::int64_t grain = 1;
    detail::Body body = nullptr;
    void* context = nullptr;
    std::atomic<std::int64_t> next{0};  // first index of the next piece
    std::atomic<bool> failed{false};
    std::atomic<bool> paused{false};  // no piece is begun until the caller has checked its interruption
    std::mutex error_lock;
    std::exception_ptr error;

    /// Processes pieces until none is left, a body has thrown or the job is paused; pauses it if the interruption of
    /// this thread is due.
    void work() {
        while (!paused.load(std::memory_order_relaxed)) {
            const std::int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
            if (begin >= count || failed.load(std::memory_order_relaxed)) return;
            try {
                body(context, begin, std::min(begin + grain, count));
            } catch (...) {
                fail(std::current_exception());
            }
            if (interruption_is_due()) paused.store(true, std::memory_order_relaxed);
        }
    }

    /// True if pieces are left to begin.
    bool goes_on() const {
        return !failed.load(std::memory_order_relaxed) && next.load(std::memory_order_relaxed) < count;
    }

    void fail(std::exception_ptr exception) {
        const std::lock_guard<std::mutex> guard(error_lock);
        if (!error) error = std::move(exception);
        failed.store(true, std::memory_order_relaxed);
    }
};

thread_local bool inside_body = false;  // nested calls of parallel_for are serial

/// Worker threads that join the caller on one job at a time. If the system starts no more threads, the pool is smaller
/// than asked for, perhaps empty.
class Pool {
public:
    explicit Pool(int workers) {
        threads_.reserve(workers);
        try {
            for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { serve(); });
        } catch (const std::exception&) {  // a limit on threads or memory
        }
    }

    /// Works on a job with at most `workers` threads beside the calling one. Returns when it is complete.
    void run(Job& job, int workers) {
        const CheckLater while_locked;
        const std::lock_guard<std::mutex> one_job(job_lock_);
        {
            const std::lock_guard<std::mutex> guard(lock_);
            job_ = &job;
            wanted_ = std::min<int>(workers, static_cast<int>(threads_.size()));
            running_ = 0;
        }
        wake_.notify_all();
        inside_body = true;
        job.work();
        inside_body = false;
        std::unique_lock<std::mutex> guard(lock_);
        wanted_ = 0;  // no piece is left for a worker that has not started yet
        idle_.wait(guard, [this] { return running_ == 0; });
        job_ = nullptr;
    }

private:
    void serve() {
        inside_body = true;
        std::unique_lock<std::mutex> guard(lock_);
        for (;;) {
            wake_.wait(guard, [this] { return wanted_ > 0; });
            --wanted_;
            ++running_;
            Job* job = job_;
            guard.unlock();
            job->work();
            guard.lock();
            if (--running_ == 0) idle_.notify_one();
        }
    }

    std::mutex job_lock_;  // one job at a time
    std::mutex lock_;      // of the members below
    std::condition_variable wake_;
    std::condition_variable idle_;
    Job* job_ = nullptr;
    int wanted_ = 0;   // workers that may still join the job
    int running_ = 0;  // workers that have joined it
    std::vector<std::thread> threads_;
};

/// The pool of this process. It is never destroyed: its threads sleep until the process ends, and a forked
/// child, which inherits no threads, makes its own.
Pool& pool() {
    struct Owned {
        std::int64_t owner;
        Pool pool;
    };
    static std::mutex lock;  // used by the first call only: a child forked while it is locked would wait for ever
    static std::atomic<Owned*> instance{nullptr};
    const auto pool_of_this_process = [] {
        Owned* found = instance.load(std::memory_order_acquire);
        return found != nullptr && found->owner == system::process_id() ? found : nullptr;
    };
    if (Owned* found = pool_of_this_process()) return found->pool;
    const std::lock_guard<std::mutex> guard(lock);
    if (Owned* found = pool_of_this_process()) return found->pool;
    Owned* made = new Owned{system::process_id(), Pool(num_processors() - 1)};
    instance.store(made, std::memory_order_release);
    return made->pool;
}

/// The host's scheduler; nullptr: the pool of this process.
std::atomic<Scheduler*> host{nullptr};

/// Works on a job on a thread of the host. It may be inside a body or lease scratch memory already.
void work_on_host_thread(Job& job) noexcept {
    const bool was_inside = std::exchange(inside_body, true);
    const CheckLater while_inside;
    try {
        const Scratch::Inside own_memory;
        job.work();
    } catch (...) {  // leases nested too deep
        job.fail(std::current_exception());
    }
    inside_body = was_inside;
}

void run_on_host(Scheduler& scheduler, Job& job, int threads) {
    scheduler.run(threads, [&job] { work_on_host_thread(job); });
    work_on_host_thread(job);  // the pieces that no call has begun
}

}  // namespace

int num_processors() {
    return system::num_processors();
}

void set_scheduler(Scheduler* scheduler) {
    host.store(scheduler, std::memory_order_release);
}

Interruptible::Interruptible(Interruption* inner) : outer_(interruption), outer_due_(check_due) {
    interruption = inner;
    check_due = Clock::now() + between_checks;
}

Interruptible::~Interruptible() {
    interruption = outer_;
    check_due = outer_due_;
}

void check_interruption() {
    if (check_later || !interruption_is_due()) return;
    const Scratch::Inside own_memory;  // the check may call the library while a lease of its caller lasts
    interruption->check();
    check_due = Clock::now() + between_checks;
}

void detail::parallel_for(std::int64_t count, std::int64_t grain, int threads, Body body, void* context) {
    if (count <= 0) return;
    grain = std::clamp<std::int64_t>(grain, 1, count);
    const std::int64_t pieces = (count + grain - 1) / grain;
    if (threads <= 0) threads = num_processors();
    threads = static_cast<int>(std::min<std::int64_t>(threads, pieces));
    const Scratch::Inside own_memory;
    check_interruption();
    if (threads == 1 || inside_body) {
        for (std::int64_t begin = 0; begin < count; begin += grain) {
            if (begin > 0) check_interruption();
            body(context, begin, std::min(begin + grain, count));
        }
        return;
    }
    Job job;
    job.count = count;
    job.grain = grain;
    job.body = body;
    job.context = context;
    do {
        job.paused.store(false, std::memory_order_relaxed);
        if (Scheduler* scheduler = host.load(std::memory_order_acquire)) {
            run_on_host(*scheduler, job, threads);
        } else {
            pool().run(job, threads - 1);
        }
        if (job.goes_on()) check_interruption();
    } while (job.goes_on());
    if (job.error) std::rethrow_exception(job.error);
}

}  // namespace rigcast
