// Noughts and crosses: rules, and an opponent that plays perfectly unless it is careless. No page.

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
