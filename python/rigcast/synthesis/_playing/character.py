"""One character: its commands, expanded into items."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._validate import bad_argument
from rigcast.synthesis._playing.commands import CLOSE, EventRecord, PlayCommand, Task, tasks_of
from rigcast.synthesis._playing.items import Item, ItemTrack, decay_of, plain_decay
from rigcast.synthesis._playing.layers import MASK
from rigcast.synthesis._playing.simulate import SimulationBatch
from rigcast.synthesis._playing.states import check_state
from rigcast.synthesis._playing.transitions import Decay

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

LONGEST = 24  # frames of an item
SHRINKS = 0.92  # a ball becomes smaller by this share per frame at most: particles are led, not pushed
TOUR = 4  # poses that wandering passes in one path
KEPT_SECONDS = 3600  # of one player, for events
MOST_WAITING = 10000  # tasks


class LatentCharacter:
    """State of a player: a particle, the rest of its path, and tasks that follow.

    Everything that decides what comes next is in :meth:`state`. Random choices are functions of the seed and of how
    many were made.
    """

    def __init__(self, batch: SimulationBatch, seed: int, label: str, kept_seconds: int = KEPT_SECONDS) -> None:
        self.batch, self.seed, self.label = batch, seed, label
        self.transitions = batch.settings.transitions
        self.frame = self.decisions = self.used = self.jump = 0
        self.command = -1
        self.tasks: list[Task] = []
        self.decays: list[Decay] = []
        self.record = EventRecord()
        self.samples: deque[tuple[int, int, str, Float64, Float32]] = deque(maxlen=kept_seconds)
        self.item: Item | None = None
        ground = batch.grounds[label]
        self.x = np.array(ground.points[int(self._rng().integers(len(ground.points)))])
        self.v = np.zeros_like(self.x)
        self.path, self.radii = self.x[None].copy(), ground.radii(self.x[None])
        self.previous: Float32 = np.repeat(np.asarray(ground.space.controls(self.x[None]), np.float32), 2, axis=0)

    # Commands

    def tell(self, command: PlayCommand, later: bool = False) -> None:
        """Begin a command, or with ``later`` after those that end by themselves.

        Raises
        ------
        ValueError
            If too many commands wait.
        """
        if later and len(self.tasks) >= MOST_WAITING:
            got = f"behind {len(self.tasks):,} tasks that wait"
            raise bad_argument(command.name, "later", got, f"fewer than {MOST_WAITING:,}: play some frames first")
        index = self._note({"frame": self.frame, "command": str(command), "name": command.name, "label": command.label})
        tasks = [{"do": "begin", "command": index}, *tasks_of(self.batch, command)]
        if later:
            self.tasks = [t for t in self.tasks if t["do"] != "wander"] + tasks
            return
        self.interrupt()
        self.tasks = tasks

    def _note(self, event: dict[str, Any]) -> int:
        """Number of a new event."""
        waiting = [task["command"] for task in self.tasks if task["do"] == "begin"]
        return self.record.add(event, [self.command, *waiting])

    def interrupt(self) -> None:
        """Give up what follows; a blend that has begun is finished first."""
        if self.item is None:
            self.path, self.radii = self.path[:1], self.radii[:1]
        elif self.item.kind in ("follow", "clip"):
            self._finish()
            self.path, self.radii = self.path[:1], self.radii[:1]

    # Items

    def next_item(self) -> Item:
        """The next item; it is simulated by the caller."""
        item: Item | None = None
        while item is None and len(self.path) < 2:
            item = self._expand(self.tasks.pop(0) if self.tasks else {"do": "hold", "frames": LONGEST, "share": 1.0})
        if item is None:
            count = min(LONGEST, len(self.path) - 1)
            item = self._item("follow", count, [self._track(self.path[: count + 1], self.radii[: count + 1])])
        self.item, self.used = item, 0
        return item

    def _expand(self, task: Task) -> Item | None:
        do = task["do"]
        if do == "begin":
            self.command = task["command"]
            self.record.events[self.command]["began"] = self.frame
        elif do == "go":
            self._lead(np.array(task["to"], np.float64), task["along"], task.get("meet", False))
        elif do == "hold":
            self._stay(task["frames"], task["share"])
        elif do == "wander":
            self._wander(task)
        elif do == "enter":
            self._enter(task["label"])
        elif do == "switch":
            return self._switch(task["label"], np.array(task["to"], np.float64))
        elif do == "join":
            return self._join(task["begin"])
        else:
            return self._clip(task["begin"], task["end"])
        return None

    def _lead(self, target: Float64, along: str, meet: bool) -> None:
        rows, radii = self._noted(self.batch.grounds[self.label].path(self.path[0], target, along))
        self._follow(rows, self.batch.grounds[self.label].narrowed(radii, SHRINKS) if meet else radii)

    def _noted(self, found: tuple[Float64, Float64, str]) -> tuple[Float64, Float64]:
        """A path and its radii; what the density made of it becomes an event."""
        if found[2]:
            about = {"frame": self.frame, "name": "note", "command": found[2], "label": self.label}
            self._note({**about, "began": self.frame})
        return found[0], found[1]

    def _stay(self, frames: int, share: float) -> None:
        rows = np.repeat(self.path[:1], frames + 1, axis=0)
        self._follow(rows, share * self.batch.grounds[self.label].radii(rows))

    def _follow(self, rows: Float64, radii: Float64) -> None:
        allowed = np.array(radii)
        allowed[0] = self.radii[0]
        for row in range(1, len(rows)):
            allowed[row] = max(allowed[row], SHRINKS * allowed[row - 1])
        self.path, self.radii = rows, allowed

    def _wander(self, task: Task) -> None:
        """To other poses in random order, all of them before any is met twice.

        With rests, to one and hover there; without, through several on one path, which would be slow if it began and
        ended at each.
        """
        pose, again = self._next_pose(task)
        if task["frames"]:
            go = {"do": "go", "to": pose.tolist(), "along": task["along"], "meet": True}
            self.tasks = [go, {"do": "hold", "frames": task["frames"], "share": 1.0}, again, *self.tasks]
            return
        targets = [pose]
        while len(targets) < TOUR:
            pose, again = self._next_pose(again)
            targets.append(pose)
        self._follow(*self._noted(self.batch.grounds[self.label].plan_path(self.path[0], targets, task["along"])))
        self.tasks = [again, *self.tasks]

    def _next_pose(self, task: Task) -> tuple[Float64, Task]:
        """The next pose of wandering, and the rest of the task."""
        poses = self.batch.grounds[self.label].points if task["poses"] is None else task["poses"]
        done, place = divmod(task["visited"], len(poses))
        order = self.decisions if place == 0 else task["order"]
        chosen = int(np.random.default_rng([self.seed, order, done]).permutation(len(poses))[place])
        self.decisions += place == 0
        return np.array(poses[chosen], np.float64), {**task, "visited": task["visited"] + 1, "order": order}

    def _enter(self, label: str) -> None:
        """To the nearest matching point of the next label of the route, idle there, switch, and so on."""
        if label == self.label:
            return
        there = self.batch.synth.route(self.label, label)[1]
        bridge = self.batch.synth.bridges[self.label, there]
        away = np.linalg.norm(np.asarray(bridge.from_points) - self.path[0], axis=1)
        pair = int(away.argmin())
        go = {"do": "go", "to": np.asarray(bridge.from_points)[pair].tolist(), "along": "data"}
        settle = {"do": "hold", "frames": self.batch.settings.settle, "share": CLOSE}
        switch = {"do": "switch", "label": there, "to": np.asarray(bridge.to_points)[pair].tolist()}
        self.tasks = [go, settle, switch, {"do": "enter", "label": label}, *self.tasks]

    def _switch(self, label: str, point: Float64) -> Item:
        frames, ground = self.batch.settings.blend, self.batch.grounds[label]
        rows = np.repeat(point[None], frames + 1, axis=0)
        into = ItemTrack(label, rows, CLOSE * ground.radii(rows), point, np.zeros_like(point), self._noise_seed(label))
        if self.transitions == "inertialize":
            self.jump = frames
            return self._item("follow", frames, [into])
        self._stay(frames, CLOSE)
        return self._item("blend", frames, [self._track(self.path, self.radii), into])

    def _join(self, begin: int) -> Item:
        frames = self.batch.settings.blend
        first = next(s.begin for s in self.batch.synth.space(self.label).segments if s.begin <= begin < s.end)
        rows = np.maximum(np.arange(begin - frames, begin), first)
        self._stay(frames, CLOSE)
        item = self._item("join", frames, [self._track(self.path, self.radii)])
        item.rows = rows
        return item

    def _clip(self, begin: int, end: int) -> Item:
        count = min(LONGEST, end - begin)
        if end - begin > count:
            self.tasks.insert(0, {"do": "clip", "begin": begin + count, "end": end})
        item = self._item("clip", count, [])
        item.rows = np.arange(begin, begin + count)
        return item

    def _item(self, kind: str, count: int, tracks: list[ItemTrack]) -> Item:
        label = tracks[-1].label if tracks else self.label
        jump, self.jump = (0 if kind == "clip" else self.jump), 0
        # The jump is measured from what was shown, in which earlier differences are contained.
        decays = [] if jump else [decay for decay in self.decays if decay.begin + decay.frames > self.frame]
        return Item(
            kind, label, self.frame, count, self.command, tracks, np.zeros(0, np.int64), decays, jump, self.previous
        )

    def _track(self, path: Float64, radii: Float64) -> ItemTrack:
        return ItemTrack(self.label, path, radii, self.x, self.v, self._noise_seed(self.label))

    # Frames

    def take(self, count: int) -> Float32:
        """The next ``count`` frames of the item, which has as many."""
        item = self.item
        assert item is not None
        rows = item.controls[self.used : self.used + count]
        every = max(round(self.batch.synth.fps), 1)
        for row in range(self.used, self.used + count):
            if (item.first + row + 1) % every == 0:
                place, controls = self._place(item, row).copy(), item.controls[row].copy()  # views keep all frames
                self.samples.append((item.first + row + 1, item.command, item.label, place, controls))
        self.used += count
        self.frame = item.first + self.used
        if self.used == item.count:
            self._finish()
        return rows

    @property
    def left(self) -> int:
        """Frames of the item that were not taken."""
        return 0 if self.item is None else self.item.count - self.used

    def _place(self, item: Item, row: int) -> Float64:
        """Latent point that a frame of an item shows."""
        if item.kind in ("clip", "join"):
            return np.asarray(self.batch.grounds[item.label].points[item.rows[row]])
        return np.asarray(item.tracks[-1].positions[row + 1])

    def _finish(self) -> None:
        """Take over the state after the frames of the item that were taken."""
        item, used = self.item, self.used
        assert item is not None
        self.item, self.used = None, 0
        if used == 0:
            self.jump = item.jump
            return
        self.previous = np.concatenate([item.previous, item.controls[:used]])[-2:]
        moved = self.label != item.label
        self.label = item.label
        if item.kind in ("clip", "join"):
            self._leave_clip(item, used)
            return
        track = item.tracks[-1]
        self.x, self.v = track.positions[used], track.velocities[used]
        self.decays = [] if item.kind == "blend" else item.after
        if item.kind == "blend" or moved or len(self.path) < 2:
            self.path, self.radii = track.path[used:], track.radii[used:]
        else:
            self.path, self.radii = self.path[used:], self.radii[used:]

    def _leave_clip(self, item: Item, used: int) -> None:
        ground, row = self.batch.grounds[self.label], int(item.rows[used - 1])
        self.x = np.array(ground.points[row])
        before = ground.points[max(row - 1, 0)] if used > 1 else self.x
        self.v = (self.x - before) * self.batch.synth.fps
        self.path, self.radii = self.x[None].copy(), ground.radii(self.x[None])
        self.decays, self.jump = [], self.batch.settings.blend

    def _rng(self) -> np.random.Generator:
        self.decisions += 1
        return np.random.default_rng([self.seed, self.decisions])

    def _noise_seed(self, label: str) -> int:
        place = self.batch.synth.labels.index(label) + 1
        return (self.seed * 0x9E3779B97F4A7C15 + place * 0xD1342543DE82EF95) & MASK

    # Saved and restored

    def state(self) -> dict[str, Any]:
        """All that decides what comes next, in JSON's values."""
        numbers = ("frame", "decisions", "used", "jump", "command", "label", "seed", "transitions", "tasks")
        arrays = ("x", "v", "path", "radii", "previous")
        return {
            **{name: getattr(self, name) for name in numbers},
            **{name: getattr(self, name).tolist() for name in arrays},
            "decays": [plain_decay(decay) for decay in self.decays],
            "record": self.record.as_plain(),
            "item": None if self.item is None else self.item.as_plain(),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a :meth:`state`, checked here; the frames of a begun item are simulated again."""
        check_state(self.batch, state)
        for name in ("frame", "decisions", "used", "jump", "command", "label", "seed", "transitions"):
            setattr(self, name, state[name])
        self.tasks, self.record = [dict(t) for t in state["tasks"]], EventRecord.of_plain(state["record"])
        for name in ("x", "v", "path", "radii"):
            setattr(self, name, np.array(state[name], np.float64))
        self.previous = np.array(state["previous"], np.float32)
        self.decays = [decay_of(decay) for decay in state["decays"]]
        self.item = None if state["item"] is None else Item.of_plain(state["item"])
        self.samples = deque(maxlen=self.samples.maxlen)
        if self.item is not None:
            self.batch.simulate([self.item])
