"""Labels and the game in a real browser: buttons, moves, moods, and rules of noughts and crosses."""

from __future__ import annotations

import time

import numpy as np
import pytest

from tests.support.made.players import face_synth

# Plays every sequence of the other one against the opponent; returns how many games it won, drew and lost.
ALL_GAMES = """(async () => {
  const { chosenMove, emptyBoard, isOver, withMark, wonLine, freeCells, other } = await import('/game.js');
  const count = { won: 0, drawn: 0, lost: 0 };
  const play = (board, mark, own) => {
    if (isOver(board)) {
      const line = wonLine(board);
      count[!line ? 'drawn' : board[line[0]] === own ? 'won' : 'lost'] += 1;
    } else if (mark === own) play(withMark(board, chosenMove(board, own, CARELESS), own), other(mark), own);
    else for (const cell of freeCells(board)) play(withMark(board, cell, mark), other(mark), own);
  };
  for (const own of ['X', 'O']) for (let k = 0; k < 3; ++k) play(emptyBoard(), 'X', own);
  return count;
})()"""
MOODS = """(async () => {
  const { moodAfterMove, moodAfterOwnMove } = await import('/game.js');
  const board = (text) => [...text].map((mark) => (mark === '.' ? '' : mark));
  const mood = ([before, after]) =>
    before ? moodAfterMove(board(before), board(after), 'O') : moodAfterOwnMove(board(after), 'O');
  return GIVEN.map(mood);
})()"""
PRESS = "[...document.querySelectorAll('#board button')][{}].click()"


@pytest.fixture
def posed(pose):
    found = pose(face_synth(), seed=2)
    found.page.evaluate("document.getElementById('game').open = true")
    return found


def press_label(posed, label):
    posed.page.evaluate(
        f"[...document.querySelectorAll('#requests button')].find(b => b.textContent === '{label}').click()"
    )


def test_buttons_lead_to_every_label_while_it_plays(posed):
    names = posed.page.evaluate("[...document.querySelectorAll('#requests button')].map(button => button.textContent)")
    assert names == face_synth().labels
    posed.page.evaluate("view.link.send('speed', { speed: 4 })")
    for label in ("lively", "calm"):
        press_label(posed, label)
        posed.page.until(f"view.frame.acting.label === '{label}'")
        assert posed.page.evaluate("document.querySelector('#requests [aria-pressed=true]').textContent") == label
    assert posed.page.evaluate("document.getElementById('doing').textContent") == "calm"


def test_it_stops_goes_on_and_begins_again_with_a_seed(posed):
    posed.page.until("view.frame.timeline.frames > 5")
    posed.page.evaluate("document.getElementById('play').click()")
    posed.page.until("!view.frame.timeline.playing")
    frames = posed.page.evaluate("view.frame.timeline.frames")
    time.sleep(0.2)  # if it did not stop, frames would come
    assert posed.page.evaluate("view.frame.timeline.frames") == frames
    posed.page.evaluate("seed.value = '9'; document.getElementById('restart').click()")
    posed.page.until("view.frame.acting.seed === 9 && view.frame.timeline.frames === 1")
    posed.page.evaluate("document.getElementById('play').click()")
    posed.page.until("view.frame.timeline.frames > 3")


def test_a_move_is_answered_and_the_face_is_told_its_mood(posed):
    posed.page.evaluate("view.acting.game.careless = 0; view.acting.game.random = () => 0")
    posed.page.evaluate(PRESS.format(4))
    posed.page.until("view.acting.game.mood === 'thinking'")
    thinking = posed.page.evaluate("view.scene.moods.thinking.label")
    posed.page.until(f"view.frame.acting.requested === '{thinking}'")
    assert posed.page.evaluate("[...document.querySelectorAll('#board button')].every(button => button.disabled)")
    posed.page.until("view.acting.game.turn === 'X'")
    board = posed.page.evaluate("view.acting.game.board")
    assert (board[4], board.count("O"), board.count("")) == ("X", 1, 7)
    waiting = posed.page.evaluate("view.scene.moods.waiting.label")
    posed.page.until(f"view.frame.acting.requested === '{waiting}'")
    posed.page.evaluate(PRESS.format(board.index("O")))  # a field that is taken
    assert posed.page.evaluate("view.acting.game.board") == board


def test_the_opponent_never_loses_unless_it_is_careless(posed):
    careful = posed.page.evaluate(ALL_GAMES.replace("CARELESS", "0"))
    assert careful["lost"] == 0
    assert careful["won"] > 100
    careless = posed.page.evaluate(ALL_GAMES.replace("CARELESS", "0.5"))
    assert careless["lost"] > 20


def test_moods_follow_the_game(posed):
    cases = {
        "thinking": (".........", "....X...."),
        "pleased": ("XO.......", "XOX......"),  # the center would have won
        "surprised": ("XO.......", "XO..X...."),
        "annoyed": ("XX.OO....", "XXXOO...."),
        "bored": ("XOXXOOOX.", "XOXXOOOXX"),
    }
    given = [list(pair) for pair in cases.values()]
    given += [["", "OOOXX.X.."], ["", "X...O...."]]
    found = posed.page.evaluate(MOODS.replace("GIVEN", str(given)))
    assert found == [*cases, "pleased", "waiting"]


def moods_of_a_game(posed, random):
    """Play a new game by random moves of the person to its end; moods that the face had after each move."""
    game, moods = "view.acting.game", set()
    posed.page.evaluate("document.getElementById('newgame').click()")
    posed.page.until(f"{game}.turn === {game}.person")
    while posed.page.evaluate(f"{game}.turn") is not None:
        shown = posed.page.evaluate("view.statistics.frames")
        free = [k for k, mark in enumerate(posed.page.evaluate(f"{game}.board")) if not mark]
        posed.page.evaluate(PRESS.format(int(random.choice(free))))
        moods.add(posed.page.evaluate(f"{game}.mood"))
        posed.page.until(f"view.statistics.frames > {shown}")
        assert len(posed.live._server._inbox._waiting) < 5
        posed.page.until(f"{game}.turn === null || {game}.turn === {game}.person")
    return moods


@pytest.mark.long
def test_whole_games_without_a_queue(posed):
    """Random moves of the person until games have ended and moods were shown: pictures go on, nothing waits.

    benchmarks/systems/view/acting.py measures how many there are per second: drawing by software takes its time.
    """
    random = np.random.default_rng(1)
    games, moods = 0, set()
    while games < 3 or len(moods) < 3:
        moods |= moods_of_a_game(posed, random)
        games += 1
        assert games < 40, moods
    assert sum(posed.page.evaluate("view.acting.game.score").values()) == games
