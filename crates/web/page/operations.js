// The operations that the page offers: those whose inputs can be derived from a position.

import { ALL, members, set, squareName } from './position.js';

const SIDES = { w: 'white', b: 'black' };

/**
 * The pieces in an input, by its role. If an operation has inputs for rooks and for bishops, both
 * include the queens.
 */
const PIECES = {
  Rooks: 'r', Bishops: 'b', Queens: 'q', Knights: 'n', Kings: 'k', Pawns: 'p', Own: 'pnbrqk',
};
const SLIDERS = ['Rooks', 'Bishops', 'Queens'];

/** The sliders that move in a direction. */
export const moversTowards = (direction) => (direction % 2 ? 'bq' : 'rq');

/** The words of an input for a side; `undefined` if they cannot be derived from a position. */
function inputWords(role, operation, choice, squares, side) {
  const has = (other) => operation.inputs.some((input) => input.role === other);
  const occupied = set(squares, 'pnbrqkPNBRQK');
  switch (role) {
    case 'Positions': return pieces(squares);
    case 'Occupied':
    case 'Blockers': return [occupied];
    case 'Propagators': return [ALL & ~occupied];
  }
  const directed = ['Sliders', 'Generators'].includes(role);
  if (!directed && !(role in PIECES)) return undefined;
  const both = ['Rooks', 'Bishops'].includes(role) && has('Rooks') && has('Bishops');
  const letters = directed ? moversTowards(choice) : PIECES[role] + (both ? 'q' : '');
  // If an operation has an input with the role `Own`, its sliders are those of the other side.
  const white = (side === 'w') !== (has('Own') && SLIDERS.includes(role));
  return [set(squares, white ? letters.toUpperCase() : letters)];
}

export const title = (name) => name.replaceAll('_', ' ').replace('xray', 'x-ray');

/** The parameter values for the menu of choices. The parameter `side` has a menu of its own. */
export const choices = ({ parameter }) => (parameter && parameter.name !== 'side' ? parameter.values : []);

/** The operations that the page offers, in the crate's order. */
export function offered(engine) {
  const empty = Array(64).fill('');
  return engine.operations.filter((operation) => !operation.byValue
    && operation.inputs.every(({ role }) => inputWords(role, operation, 0, empty, 'w')));
}

/** The twelve sets of a position, White's pawns to Black's king. */
const pieces = (squares) => [...'PNBRQKpnbrqk'].map((letter) => set(squares, letter));

/**
 * The legal moves of a side, as `{ text, moves }`: a sentence, and the moves in the notation of
 * UCI, sorted. Castling is the king's two squares.
 */
export function legalMoves(engine, squares, side) {
  const kings = [...'Kk'].map((letter) => members(set(squares, letter)).length);
  if (kings.some((count) => count !== 1)) return { text: 'Each side needs one king.', moves: [] };
  const { checks, moves } = engine.legalMoves(pieces(squares), side === 'w' ? 0 : 1);
  if (checks > 2) return { text: 'No game has this position.', moves: [] };
  const texts = moves.map((move) => {
    const [from, to] = [move & 63, (move >> 6) & 63];
    const castles = squares[from] + squares[to] === (side === 'w' ? 'KR' : 'kr');
    const target = castles ? (from & 56) + (to > from ? 6 : 2) : to;
    return squareName(from) + squareName(target) + ['', 'n', 'b', 'r', 'q'][move >> 12];
  }).sort();
  const mate = checks ? 'checkmate' : 'stalemate';
  const count = `${moves.length} ${moves.length === 1 ? 'move' : 'moves'}`;
  return { text: `${side === 'w' ? 'White' : 'Black'} to move: ${moves.length ? count + (checks ? ', in check' : '') : mate}.`, moves: texts };
}

/** Runs an operation. Returns its inputs and outputs, without the outputs of the other side. */
export function evaluate(engine, operation, choice, squares, side) {
  const words = operation.inputs.flatMap(({ role }) => inputWords(role, operation, choice, squares, side));
  const inputNames = operation.inputs.flatMap((input) => input.words);
  const inputs = inputNames.map((name, i) => ({ name, bits: words[i], title: title(name) }));
  const parameter = operation.parameter?.name === 'side' ? operation.parameter.values.indexOf(SIDES[side]) : choice;
  const results = engine.evaluate(operation.name, parameter, words);
  const outputs = operation.outputs
    .flatMap((output) => output.words)
    .map((name, i) => ({
      name,
      bits: results[i],
      title: title(name.replace(/^(white|black) /, '')),
      // An output with the name of an input holds the attacks of one kind of piece. The page does
      // not draw it.
      lit: !inputNames.includes(name),
    }))
    .filter(({ name }) => !/^(white|black) /.test(name) || name.startsWith(SIDES[side]));
  return { inputs, outputs };
}
