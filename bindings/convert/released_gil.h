#pragma once
#include <pybind11/pybind11.h>

#include "rigcast/core/interruption.h"

namespace rigcast::bindings {

namespace py = pybind11;

/// Lets Python's signal handlers run. Throws what they raise, KeyboardInterrupt at Ctrl-C. The caller may hold the GIL
/// or not.
inline void run_signal_handlers() {
    const py::gil_scoped_acquire acquired;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

/// Releases the GIL while the engine works, and lets Ctrl-C end that work between its pieces.
class ReleasedGil {
public:
    ReleasedGil() : interruptible_(&signals_) {}

private:
    class Signals final : public Interruption {
    public:
        void check() override { run_signal_handlers(); }
    };

    Signals signals_;
    py::gil_scoped_release released_;
    Interruptible interruptible_;
};

}  // namespace rigcast::bindings
