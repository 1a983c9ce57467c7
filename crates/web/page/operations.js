// What can be shown of a position: operations of the crate whose inputs a position gives.

import { ALL, set } from './position.js';

const TITLES = {
  rook_attacks: 'rook attacks',
  bishop_attacks: 'bishop attacks',
  queen_attacks: 'queen attacks',
  slider_attacks: 'attacks of all sliders',
  ray_attacks: 'rays in one direction',
  occluded_fill: 'occluded fill',
  xray_rook_attacks: 'x-ray of rooks',
  xray_bishop_attacks: 'x-ray of bishops',
  xray_queen_attacks: 'x-ray of queens',
  pins: 'pins',
  attack_maps: 'attack map of all pieces',
  checks: 'checks',
};

const PIECE = /^(pawn|knight|bishop|rook|queen|king)s$/;

/** What an argument's name means for a side's pieces; undefined for a name that no position gives. */
export function role(operation, name, squares, side) {
  const white = side === 'w';
  const of = (letters, mine = true) => set(squares, white === mine ? letters.toUpperCase() : letters);
  const occupied = set(squares, 'pnbrqkPNBRQK');
  const mine = operation !== 'pins'; // there the sliders are the other side's
  const roles = {
    pawns: of('p'),
    knights: of('n'),
    rooks: of('r'),
    bishops: of('b'),
    queens: of('q'),
    kings: of('k'),
    sliders: of('rbq'),
    generators: of('rbq'),
    orthogonal: of('rq', mine),
    diagonal: of('bq', mine),
    own: of('pnbrqk'),
    blockers: occupied,
    occupied,
    propagators: ALL & ~occupied,
  };
  const [whose, what] = name.split(' ');
  if (PIECE.test(what)) {
    const letter = what === 'knights' ? 'n' : what[0];
    return set(squares, whose === 'white' ? letter.toUpperCase() : letter);
  }
  return roles[name];
}

/** Results of both sides: those of the chosen one are shown, and of an attack map the union and the threats are lit. */
function ofSide(name, side) {
  const [whose, what] = name.split(' ');
  if (whose !== 'white' && whose !== 'black') return { shown: true, lit: true, title: name };
  const shown = (whose === 'white') === (side === 'w');
  const attacks = what === 'all' || PIECE.test(what);
  return { shown, lit: shown && !PIECE.test(what), title: attacks ? `attacks, ${what}` : what };
}

/** The operations to offer, in the crate's order. */
export function offered(engine) {
  const empty = Array(64).fill('');
  return engine.operations
    .filter(({ name, inputs }) => TITLES[name] && inputs.every(([input]) => role(name, input, empty, 'w') !== undefined))
    .map((operation) => ({ ...operation, title: TITLES[operation.name] }));
}

export function evaluate(engine, operation, index, squares, side) {
  const inputs = operation.inputs.map(([name]) => [name, role(operation.name, name, squares, side)]);
  const columns = engine.evaluate(operation.name, index, inputs.map(([, bits]) => [bits]));
  const outputs = operation.outputs
    .map(([name], i) => ({ name, bits: columns[i][0], ...ofSide(name, side) }))
    .filter(({ shown }) => shown);
  return { inputs, outputs };
}
