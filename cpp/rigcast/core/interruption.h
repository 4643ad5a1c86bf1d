#pragma once
#include <chrono>

namespace rigcast {

/// Asks a host program whether long work shall end, as Python's signal handlers do at Ctrl-C.
class Interruption {
public:
    virtual ~Interruption() = default;
    /// Throws to end the call of the library; what it throws arrives at the caller. May call the library.
    virtual void check() = 0;
};

/// While it lives, calls of the library on this thread run `interruption.check()` about every twentieth of a second,
/// between pieces of work. Scopes nest; the innermost counts. Guarantee: results do not depend on it. Requires:
/// `interruption` outlives it, and it ends on the thread on which it began.
class Interruptible {
public:
    /// nullptr: nothing interrupts.
    explicit Interruptible(Interruption* interruption);
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

private:
    Interruption* outer_;
    std::chrono::steady_clock::time_point outer_due_;
};

/// Runs the check of this thread's interruption if it is due; parallel_for does so between its pieces. For long loops
/// without it: costs one reading of the clock. Requires: the thread holds no lock that other threads wait for while
/// they hold what the check needs.
void check_interruption();

}  // namespace rigcast
