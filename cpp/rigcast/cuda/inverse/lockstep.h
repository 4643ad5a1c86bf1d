#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "rigcast/core/error.h"
#include "rigcast/core/interruption.h"
#include "rigcast/cuda/inverse/accelerated_step.h"
#include "rigcast/cuda/inverse/finish_jobs.h"
#include "rigcast/cuda/inverse/gram_residuals.h"
#include "rigcast/cuda/inverse/turn_jobs.h"
#include "rigcast/cuda/machine/machine.h"

namespace rigcast::cuda {

/// Of the team solvers of a lane: with thousands of weights their matrices take megabytes each. Fewer teams change no
/// result. Chosen, not tuned.
constexpr std::int64_t bytes_of_teams = std::int64_t{256} << 20;

/// Runs a team kernel over `count` frames or jobs, with the memory that its teams need, in `global`.
template <class Kernel>
void run_with_memory(Machine& machine, const TeamMemory& memory, std::int64_t count, Buffer<double>& global,
                     Kernel kernel) {
    const std::int64_t fitting = std::max<std::int64_t>(bytes_of_teams / (8 * memory.global_per_team + 1), 1);
    const std::int64_t teams = std::min({machine.num_teams<Kernel>(memory.shared), count, fitting});
    global.reserve(teams * memory.global_per_team);
    kernel.memory = memory;
    kernel.memory.global = global.data();
    machine.run_teams(teams, memory.shared, kernel);
}

/// A rig in device memory, as jobs need it.
struct LockstepRig {
    DeviceProductModel model;
    const DoubleRowTile* gram;  // as GramResiduals reads it
    const double* scale;        // (K), see AcceleratedStep
    double curvature;           // of a job's first step
    TeamMemory memory;          // of the team solver
    TeamMemory sweep_memory;    // of SweepJobs
    bool in_lockstep;           // otherwise the team solver does all
};

/// Solves frames in slots that all take their steps together: a step of all jobs is one product on the matrix units
/// and one kernel. A slot whose job has ended is given the next start of its frame, or the next frame, so that the
/// product stays full until the frames run out. Two lanes of slots take turns: while one is on the device, the host
/// reads how the jobs of the other have ended.
/// Guarantee: a job does not depend on the others, nor on the number of slots.
class Lockstep {
public:
    /// Of a lane. So many slots of 430 columns and 130 weights, two lanes of them, keep their vectors in an L2 cache of
    /// 50 MB. By that arithmetic, not tuned.
    static constexpr std::int64_t most_slots = 1536;
    /// Steps between two looks at the jobs: a job that has ended waits for half of them.
    static constexpr int steps_at_once = 8;
    /// Steps of a job before it counts as crawling, per iteration that the caller allows: 400 by default. Half of the
    /// benchmark's frames take 136, the slowest of 512 398.
    static constexpr std::int64_t steps_per_iteration = 2;
    static constexpr std::int64_t most_steps = 4000;  // whatever the caller allows
    explicit Lockstep(std::int64_t slots) : slots_(std::clamp<std::int64_t>(slots, 1, most_slots)) {}

    /// Bytes of device memory that a slot needs.
    static std::int64_t bytes_per_slot(std::int64_t variables, std::int64_t columns) {
        return sizeof(double) * (3 * variables + 2 * columns + 8);
    }

    /// Jobs since the last `reset_counts`, and those of them that the team solver had to end.
    std::int64_t num_jobs() const { return num_jobs_; }
    std::int64_t num_rest() const { return num_rest_; }
    void reset_counts() { num_jobs_ = num_rest_ = 0; }

    /// Solves the frames `queue` of a task. Work queued before on other machines must be done.
    void run(const LockstepRig& rig, const JobTask& task, const std::vector<std::int32_t>& queue) {
        std::size_t next = 0;
        try {
            for (Lane& lane : lanes_) lane.open(rig, slots_);
            for (bool any = true; any;) {
                check_interruption();
                any = false;
                for (Lane& lane : lanes_) any = turn(lane, rig, task, queue, next) || any;
            }
        } catch (...) {
            for (Lane& lane : lanes_) lane.settle();
            throw;
        }
    }

private:
    /// Slots with a stream of their own.
    struct Lane {
        void open(const LockstepRig& rig, std::int64_t slots) {
            const DeviceProductModel& model = rig.model;
            const std::int64_t numbers = 3 * model.num_variables;
            shared_of_steps = numbers <= Machine::most_shared ? numbers : 0;
            turn_teams = machine.num_teams<TurnJobs>(0);
            step_teams = machine.num_teams<AcceleratedStep>(shared_of_steps);
            if (shared_of_steps == 0) step_memory.reserve(std::min(step_teams, slots) * numbers);
            for (Buffer<std::int32_t>* list : {&state, &frame, &start, &steps}) list->reserve(slots);
            for (Buffer<double>* list : {&curvature, &momentum, &slope, &length, &objective}) list->reserve(slots);
            for (Buffer<double>* rows : {&y, &x, &change}) rows->reserve(slots * model.num_variables);
            for (Buffer<double>* rows : {&phi, &residual}) rows->reserve(slots * model.num_columns);
            states.reserve(slots);
            std::fill_n(states.data(), slots, std::int32_t{idle});
            machine.upload(states.data(), slots, state);
        }

        /// Waits for what is queued, whatever became of it.
        void settle() {
            try {
                machine.synchronize();
            } catch (const CudaError&) {  // an error is on its way already
            }
        }

        DeviceJobs jobs() const {
            return {state.data(),    frame.data(),  start.data(),  steps.data(),    y.data(),
                    x.data(),        change.data(), phi.data(),    residual.data(), curvature.data(),
                    momentum.data(), slope.data(),  length.data(), objective.data()};
        }

        /// Lists the slots by what they need next; idle ones take frames from the queue.
        void sort(std::int64_t slots, const std::vector<std::int32_t>& queue, std::size_t& next) {
            for (auto* list : {&unfinished, &turning, &fresh, &active}) list->clear();
            for (std::int32_t slot = 0; slot < slots; ++slot) {
                const std::int32_t now = states.data()[slot];
                const bool takes_frame = now == idle && next < queue.size();
                if (now == idle && !takes_frame) continue;
                active.push_back(slot);
                if (now == running) continue;
                if (now == rest) unfinished.push_back(slot);
                turning.push_back(slot);
                fresh.push_back(takes_frame ? queue[next++] : -1);
            }
            machine.upload(unfinished, unfinished_slots);
            machine.upload(turning, turning_slots);
            machine.upload(fresh, fresh_frames);
            machine.upload(active, active_slots);
        }

        Machine machine;
        Buffer<std::int32_t> state, frame, start, steps;  // see DeviceJobs
        Buffer<double> y, x, change, phi, residual;
        Buffer<double> curvature, momentum, slope, length, objective;
        PinnedBuffer<std::int32_t> states;  // as of the last look
        std::vector<std::int32_t> unfinished, turning, fresh, active;
        Buffer<std::int32_t> unfinished_slots, turning_slots, fresh_frames, active_slots;
        Buffer<double> team_memory, step_memory;
        std::int64_t turn_teams = 0, step_teams = 0, shared_of_steps = 0;
    };

    /// Looks at the jobs of a lane and queues what they need. Returns false if it has none.
    bool turn(Lane& lane, const LockstepRig& rig, const JobTask& task, const std::vector<std::int32_t>& queue,
              std::size_t& next) {
        lane.machine.synchronize();
        lane.sort(slots_, queue, next);
        num_rest_ += size(lane.unfinished);
        num_jobs_ += std::count(lane.fresh.begin(), lane.fresh.end(), -1);
        if (lane.active.empty()) return false;
        finish(lane, rig, task);
        const std::int64_t turning = size(lane.turning);
        lane.machine.run_teams(std::min(lane.turn_teams, turning), 0,
                               TurnJobs{rig.model, task, lane.jobs(), lane.turning_slots.data(),
                                        lane.fresh_frames.data(), turning, rig.curvature, rig.in_lockstep});
        if (rig.in_lockstep) sweep(lane, rig, task);
        for (int i = 0; rig.in_lockstep && i < steps_at_once; ++i) step(lane, rig, task);
        lane.machine.download(lane.state, slots_, lane.states.data());
        return true;
    }

    void finish(Lane& lane, const LockstepRig& rig, const JobTask& task) const {
        if (lane.unfinished.empty()) return;
        DeviceFrames frames = task.frames;
        if (rig.in_lockstep && are_swept(task)) frames.max_iterations -= SweepJobs::num_sweeps(frames.max_iterations);
        run_with_memory(lane.machine, rig.memory, size(lane.unfinished), lane.team_memory,
                        FinishJobs{rig.model,
                                   frames,
                                   {},
                                   task,
                                   lane.jobs(),
                                   lane.unfinished_slots.data(),
                                   size(lane.unfinished),
                                   rig.in_lockstep});
    }

    /// True if the task's jobs begin cold (TurnJobs).
    static bool are_swept(const JobTask& task) { return task.restarts && task.neighbor <= 0; }

    void sweep(Lane& lane, const LockstepRig& rig, const JobTask& task) const {
        if (lane.turning.empty() || !are_swept(task)) return;
        run_with_memory(
            lane.machine, rig.sweep_memory, size(lane.turning), lane.team_memory,
            SweepJobs{rig.model, task.frames, {}, lane.jobs(), lane.turning_slots.data(), size(lane.turning)});
    }

    void step(Lane& lane, const LockstepRig& rig, const JobTask& task) const {
        const std::int64_t count = size(lane.active);
        const std::int64_t columns = rig.model.num_columns;
        lane.machine.run_tiles((count + GramResiduals::jobs_per_block - 1) / GramResiduals::jobs_per_block,
                               (columns + GramResiduals::columns_per_tile - 1) / GramResiduals::columns_per_tile,
                               GramResiduals{rig.gram, columns, lane.active_slots.data(), count, lane.frame.data(),
                                             lane.phi.data(), task.frames.projection, lane.residual.data()});
        AcceleratedStep kernel{rig.model,
                               task,
                               lane.jobs(),
                               rig.scale,
                               lane.active_slots.data(),
                               count,
                               std::min(steps_per_iteration * task.frames.max_iterations, most_steps)};
        if (lane.shared_of_steps == 0) kernel.memory = lane.step_memory.data();
        lane.machine.run_teams(std::min(lane.step_teams, count), lane.shared_of_steps, kernel);
    }

    static std::int64_t size(const std::vector<std::int32_t>& list) { return static_cast<std::int64_t>(list.size()); }

    std::int64_t slots_;
    std::int64_t num_jobs_ = 0;
    std::int64_t num_rest_ = 0;
    Lane lanes_[2];
};

}  // namespace rigcast::cuda
