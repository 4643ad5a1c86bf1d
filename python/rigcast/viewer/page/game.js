// Noughts and crosses against the face: the rules, an opponent that plays perfectly unless it is careless, and the panel,
// whose moods are labels that the page requests of the server.

const CARELESS = 0.2; // share of moves that are any move
const THINKING = [900, 1600]; // milliseconds before a move
const BORED = 15000; // milliseconds without a move of the person
const HOW = { given: "as given", name: "by its name", turn: "in turn: no label has such a name" };
const TURN = { X: "Your move: you are X.", O: "Your move: you are O." };

export const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
export const emptyBoard = () => Array(9).fill("");
export const other = (mark) => (mark === "X" ? "O" : "X");

/** The three cells of a complete line, or null. */
export function wonLine(board) {
  return LINES.find(([a, b, c]) => board[a] && board[a] === board[b] && board[a] === board[c]) ?? null;
}

export function freeCells(board) {
  return board.flatMap((mark, cell) => (mark ? [] : [cell]));
}

export function isOver(board) {
  return wonLine(board) !== null || freeCells(board).length === 0;
}

export function withMark(board, cell, mark) {
  return board.map((old, i) => (i === cell ? mark : old));
}

/** Minimax: 1 if the one to move wins, 0 for a draw, -1 if it loses, when both play perfectly. */
export function outcome(board, toMove) {
  if (wonLine(board)) return -1; // by the other one, who has just moved
  const cells = freeCells(board);
  if (!cells.length) return 0;
  return Math.max(...cells.map((cell) => -outcome(withMark(board, cell, toMove), other(toMove))));
}

/** A perfect move, or with probability `careless` any; random() is uniform in [0, 1). */
export function chosenMove(board, mark, careless, random = Math.random) {
  const cells = freeCells(board);
  const pick = (list) => list[Math.floor(random() * list.length)];
  if (random() < careless) return pick(cells);
  const worth = cells.map((cell) => -outcome(withMark(board, cell, mark), other(mark)));
  const best = Math.max(...worth);
  return pick(cells.filter((_, i) => worth[i] === best));
}

/** The mood of a face that plays `own`, after the other one moved from `before` to `after`. */
export function moodAfterMove(before, after, own) {
  if (wonLine(after)) return "annoyed";
  if (!freeCells(after).length) return "bored";
  const [expected, found] = [-outcome(before, other(own)), outcome(after, own)];
  if (found > expected) return "pleased"; // a mistake
  return found < 0 ? "surprised" : "thinking"; // the move that wins was seen
}

/** The mood after its own move: it has won, knows that it will, or waits. */
export function moodAfterOwnMove(after, own) {
  if (wonLine(after)) return "pleased";
  if (!freeCells(after).length) return "bored";
  return outcome(after, other(own)) < 0 ? "pleased" : "waiting";
}

export class Game {
  /** elements: { board, said, begin, score, moods, turns }; tell(label) sends a label. */
  constructor(elements, tell) {
    this.elements = elements;
    this.tell = tell;
    this.moods = {};
    this.mood = null;
    this.random = Math.random;
    this.careless = CARELESS;
    this.score = { won: 0, lost: 0, drawn: 0 };
    this.person = "X";
    this.board = emptyBoard();
    this.turn = null; // the mark to move; null before and after a game
    this.cells = this.board.map((_, cell) => this.cell(cell));
    elements.board.replaceChildren(...this.cells);
    elements.begin.addEventListener("click", () => this.begin());
    this.draw("Press New game, or a field.");
  }

  cell(number) {
    const button = document.createElement("button");
    button.addEventListener("click", () => this.press(number));
    return button;
  }

  /** Moods and their labels: { bored: { label, how } }. */
  load(moods) {
    this.moods = moods;
    const rows = Object.entries(moods).map(([mood, { label, how }]) => {
      const row = document.createElement("div");
      row.dataset.mood = mood;
      row.title = `${mood}: ${HOW[how]}`;
      row.append(`${mood}: `, Object.assign(document.createElement("b"), { textContent: label }), how === "turn" ? "*" : "");
      return row;
    });
    this.elements.moods.replaceChildren(...rows);
    this.elements.turns.hidden = !Object.values(moods).some(({ how }) => how === "turn");
  }

  feel(mood) {
    clearTimeout(this.boredom);
    if (mood !== this.mood && this.moods[mood]) this.tell(this.moods[mood].label);
    this.mood = mood;
    for (const row of this.elements.moods.children) row.classList.toggle("on", row.dataset.mood === mood);
  }

  begin() {
    clearTimeout(this.move);
    this.board = emptyBoard();
    this.person = this.played ? other(this.person) : "X"; // who begins changes; X begins
    this.played = true;
    this.turn = "X";
    this.mood = null; // a label that was requested by hand meanwhile is replaced
    if (this.person === "X") this.await("waiting");
    else this.ponder("thinking");
  }

  press(cell) {
    if (this.turn === null) this.begin();
    if (this.turn !== this.person || this.board[cell]) return;
    const before = this.board;
    this.put(cell);
    const mood = moodAfterMove(before, this.board, other(this.person));
    if (isOver(this.board)) this.end(mood);
    else this.ponder(mood);
  }

  put(cell) {
    this.board = withMark(this.board, cell, this.turn);
    this.turn = other(this.turn);
  }

  ponder(mood) {
    this.feel(mood);
    this.draw("The face thinks ...");
    const [least, most] = THINKING;
    this.move = setTimeout(() => this.answer(), least + (most - least) * this.random());
  }

  answer() {
    const own = other(this.person);
    this.put(chosenMove(this.board, own, this.careless, this.random));
    const mood = moodAfterOwnMove(this.board, own);
    if (isOver(this.board)) this.end(mood);
    else this.await(mood);
  }

  await(mood) {
    this.feel(mood);
    this.boredom = setTimeout(() => this.feel("bored"), BORED);
    this.draw(TURN[this.person]);
  }

  end(mood) {
    const line = wonLine(this.board);
    const how = !line ? "drawn" : this.board[line[0]] === this.person ? "won" : "lost";
    this.turn = null;
    this.score[how] += 1;
    this.feel(mood);
    this.draw({ drawn: "A draw.", won: "You win.", lost: "The face wins." }[how]);
  }

  draw(said) {
    const line = wonLine(this.board) ?? [];
    this.cells.forEach((button, cell) => {
      const mark = this.board[cell];
      button.textContent = mark;
      button.setAttribute("aria-label", `row ${1 + Math.floor(cell / 3)}, column ${1 + (cell % 3)}: ${mark || "free"}`);
      button.classList.toggle("won", line.includes(cell));
      button.disabled = this.turn !== null && (mark !== "" || this.turn !== this.person);
    });
    this.elements.said.textContent = said;
    const { won, lost, drawn } = this.score;
    this.elements.score.textContent = `won ${won}, lost ${lost}, drawn ${drawn}`;
  }
}
