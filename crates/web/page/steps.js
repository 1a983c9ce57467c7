// Shows techniques step by step. The module computes the values; this file explains and draws them.

import { element, registers, smallBoard } from './draw.js';
import { members, squareName } from './position.js';

// The left shift for each direction; negative values shift right.
const SHIFT = [8, 9, 1, -7, -8, -9, -1, 7];

const shifted = (direction, squares = 1) => {
  const by = squares * SHIFT[direction];
  return by > 0 ? `<< ${by}` : `>> ${-by}`;
};

/**
 * The techniques, by their numbers in the module. `arguments` names the lists from which the user
 * chooses. `steps` converts the module's words to a list of steps, each with an explanation and
 * drawings.
 */
export const TECHNIQUES = [
  {
    title: 'Dumb7Fill', arguments: ['towards'],
    idea: 'Shift the flood by one square, keep the squares that are empty, and add them to the fill. Repeat six times, then take one more step for the attacks.',
    steps([propagators, ...words], { direction, sliders, occupied }) {
      const marks = { sliders, occupied };
      const steps = [{
        text: 'The flood starts on the sliders. It may enter empty squares, except those that a step reaches by wrapping around an edge.',
        draw: [smallBoard('flood', words[0], marks), smallBoard('may enter', propagators, marks)],
      }];
      for (let cycle = 1; cycle <= 6; cycle++) {
        const [before, flood, filled] = [words[2 * cycle - 1], words[2 * cycle], words[2 * cycle + 1]];
        const added = members(filled & ~before).length;
        steps.push({
          text: `Cycle ${cycle}: flood = flood ${shifted(direction)} & may enter; filled |= flood. ${added ? `New squares: ${added}.` : 'No new squares.'}`,
          draw: [smallBoard('flood', flood, marks), smallBoard('filled', filled, { ...marks, before })],
        });
      }
      steps.push({
        text: `One step beyond the fill: this includes the blockers and excludes the sliders. attacks = filled ${shifted(direction)}, with wraps masked.`,
        draw: [smallBoard('filled', words[13], marks), smallBoard('attacks', words[14], marks)],
      });
      return steps;
    },
  },
  {
    title: 'Kogge-Stone', arguments: ['towards'],
    idea: 'An occluded fill in three doubling steps: by one square, by two, then by four.',
    steps([g0, p0, g1, p1, g2, p2, g3, , attacks], { direction, sliders, occupied }) {
      const marks = { sliders, occupied };
      const doubling = (squares, before, g, p) => ({
        text: `g |= p & g ${shifted(direction, squares)}${p === undefined ? '' : `; p &= p ${shifted(direction, squares)}`}. The fill now reaches ${2 * squares - 1} squares from each slider.`,
        draw: [smallBoard('g, generators', g, { ...marks, before })].concat(p === undefined ? [] : [smallBoard(`p, free for ${2 * squares} steps`, p, marks)]),
      });
      return [
        { text: 'g holds the sliders, p the squares that one step may enter.', draw: [smallBoard('g, generators', g0, marks), smallBoard('p, propagators', p0, marks)] },
        doubling(1, g0, g1, p1),
        doubling(2, g1, g2, p2),
        doubling(4, g2, g3),
        { text: 'One step beyond the fill, with wraps masked.', draw: [smallBoard('g, filled', g3, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Borrow: one subtraction', arguments: [],
    idea: 'East only. In o - 2r, each slider borrows from the next occupied square, and the bits that change are its ray. The a-file is a barrier that keeps borrows out of the next rank.',
    steps([minuend, subtrahend, difference, changed, attacks], { sliders, occupied }) {
      const marks = { sliders, occupied, bits: true };
      return [
        { text: 'o with the barrier: the occupied squares and the a-file. It is one 64-bit number; bit 0 is a1.', draw: [smallBoard('o | a-file', minuend, marks)] },
        { text: '2r: doubling a slider moves it one square east.', draw: [smallBoard('o | a-file', minuend, marks), smallBoard('2r', subtrahend, marks)] },
        { text: 'The difference: each slider has borrowed from the next occupied square, which turns the zeros between them into ones.', draw: [smallBoard('2r', subtrahend, marks), smallBoard('(o | a-file) - 2r', difference, marks)] },
        { text: 'The changed bits: xor with o.', draw: [smallBoard('(o | a-file) - 2r', difference, marks), smallBoard('xor o', changed, marks)] },
        { text: 'The attacks, after the barrier is removed.', draw: [smallBoard('xor o', changed, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Borrow: byte by byte', arguments: [],
    idea: 'East only. Vector instructions subtract bytes, and a byte is a rank, so no barrier is needed: (o & ~r) - r.',
    steps([others, rooks, borrows, difference, attacks], { sliders, occupied }) {
      const marks = { sliders, occupied, bits: true };
      return [
        { text: 'The other pieces, and the sliders to subtract. Each rank is a byte; its lowest bit is the a-file.', draw: [smallBoard('o & ~r', others, marks), smallBoard('r', rooks, marks)] },
        { text: 'On the square of a slider, 0 - 1 borrows. Empty squares pass the borrow on until a piece absorbs it.', draw: [smallBoard('r', rooks, marks), smallBoard('passes a borrow on', borrows, marks)] },
        { text: 'The bytewise difference (psubb).', draw: [smallBoard('o & ~r', others, marks), smallBoard('(o & ~r) - r', difference, marks)] },
        { text: 'The attacks: the squares that a borrow reaches.', draw: [smallBoard('(o & ~r) - r', difference, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Hyperbola: two boards', arguments: ['line', 'square'],
    idea: 'One slider, one line. o - 2r computes the ray towards higher squares. On the reversed board, the same subtraction computes the other ray.',
    steps([line, occupiedLine, forward, reversed, backward, returned, attacks], { occupied, square }) {
      const slider = 1n << BigInt(square);
      const marks = { sliders: slider, occupied };
      const reversedMarks = { sliders: 1n << BigInt(63 - square) };
      return [
        { text: `A slider on ${squareName(square)}, and the occupied squares on its line.`, draw: [smallBoard('the line', line, marks), smallBoard('o, on the line', occupiedLine, marks)] },
        { text: 'o - 2r: the slider borrows from the next blocker above it.', draw: [smallBoard('o', occupiedLine, marks), smallBoard('o - 2r', forward, marks)] },
        { text: 'The second board: all bits reversed, so that lower squares become higher ones.', draw: [smallBoard('o', occupiedLine, marks), smallBoard('o reversed', reversed, reversedMarks)] },
        { text: 'The same subtraction on the second board.', draw: [smallBoard('o reversed', reversed, reversedMarks), smallBoard('o - 2r, reversed', backward, reversedMarks)] },
        { text: 'The difference, reversed back.', draw: [smallBoard('o - 2r, reversed', backward, reversedMarks), smallBoard('reversed back', returned, marks)] },
        { text: 'Each differs from o in one ray, so their xor on the line is the attacks.', draw: [smallBoard('o - 2r', forward, marks), smallBoard('reversed back', returned, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Rank slices', arguments: [],
    idea: 'A block of boards is transposed until register i holds rank i of every board. A step north is then a step to the next register. This example has eight boards in eight words; vector registers hold more.',
    steps(words, { eight }) {
      const rows = (i) => words.slice(8 * i, 8 * i + 8);
      // The index of the board that a byte comes from: before, during and after the exchanges.
      const boards = (row) => row;
      const after = (exchanged) => (row, byte) => (row & ~exchanged) | (byte & exchanged);
      const sliced = (row, byte) => byte;
      const steps = [
        { text: 'Eight boards: the one above and seven from famous games. The sliders of one side are all treated as queens. Each board is one word and has its own colour.', draw: [element('div', { className: 'eight' }, ...eight.map(({ sliders, occupied }, i) => {
          const drawn = smallBoard(`board ${i}`, sliders, { sliders, occupied });
          drawn.style.setProperty('--hue', 45 * i);
          drawn.classList.add('owned');
          return drawn;
        }))] },
        { text: 'The same boards as words: row i is board i, each byte is a rank (the first rank on the left).', draw: [registers('words', rows(0), boards)] },
        { text: 'First exchange: rows 4 apart swap halves.', draw: [registers('after the first exchange', rows(1), after(4))] },
        { text: 'Second exchange: rows 2 apart swap quarters.', draw: [registers('after the second exchange', rows(2), after(6))] },
        { text: 'Third exchange: adjacent rows swap single bytes. Register i now holds rank i of all boards.', draw: [registers('slices: sliders', rows(3), sliced), registers('slices: occupied', rows(4), sliced)] },
      ];
      for (let rank = 1; rank < 8; rank++) {
        steps.push({
          text: `Rank ${rank + 1} of all eight boards: a step north, north-east or north-west goes to the next register.`,
          draw: [registers('sliders', rows(3), sliced), registers('reached upward', rows(5), sliced, rank + 1)],
        });
      }
      const of = (i, title) => element('div', { className: 'eight' }, ...eight.map(({ sliders, occupied }, k) => smallBoard(`${title} ${k}`, rows(i)[k], { sliders, occupied })));
      steps.push({ text: 'Transposed back: the upward rays of eight boards.', draw: [of(6, 'upward')] });
      steps.push({ text: 'All attacks of eight boards: the downward rays come from the same steps in the other order, the rays along ranks from borrows.', draw: [of(7, 'attacks')] });
      return steps;
    },
  },
];

/** The panel of a technique. `get` returns the position's sets: `{ sliders, occupied, eight }`. */
export class Stepper {
  constructor(engine, get) {
    this.engine = engine;
    this.get = get;
    this.at = 0;
    this.$ = (id) => document.getElementById(id);
    const options = (id, names) => this.$(id).append(...names.map((name, i) => new Option(name, i)));
    options('technique', TECHNIQUES.map(({ title }) => title));
    options('towards', engine.operation('ray_attacks').parameter.values);
    options('line', engine.operation('line_attacks_from').parameter.values);
    for (const id of ['technique', 'towards', 'line', 'square']) {
      this.$(id).addEventListener('change', () => {
        if (id !== 'square') this.at = 0;
        this.update();
      });
    }
    this.$('step').addEventListener('input', () => this.go(Number(this.$('step').value)));
    this.$('first').addEventListener('click', () => this.go(0));
    this.$('previous').addEventListener('click', () => this.go(this.at - 1));
    this.$('next').addEventListener('click', () => this.go(this.at + 1));
  }

  /** Computes the steps of the selected technique for the current position. */
  update() {
    const number = Number(this.$('technique').value);
    const technique = TECHNIQUES[number];
    for (const name of ['towards', 'line', 'square']) this.$(`${name}-label`).hidden = !technique.arguments.includes(name);
    const { sliders, occupied, eight } = this.get();
    this.offerSquares(members(sliders));
    const direction = Number(this.$('towards').value);
    const line = Number(this.$('line').value);
    const square = Number(this.$('square').value || 27);
    const words = number === 5
      ? this.engine.steps(number, 0, eight.map((board) => board.sliders), eight.map((board) => board.occupied))
      : this.engine.steps(number, number === 4 ? 64 * line + square : direction, [sliders], [occupied]);
    this.steps = technique.steps(words, { direction, sliders, occupied, square, eight });
    this.$('idea').textContent = technique.idea;
    this.$('step').max = this.steps.length - 1;
    this.go(this.at);
  }

  /** Lists the sliders' squares, or d4 if there are no sliders. */
  offerSquares(squares) {
    const select = this.$('square');
    const chosen = select.value;
    const offered = squares.length ? squares : [27];
    select.replaceChildren(...offered.map((square) => new Option(squareName(square), square)));
    if (offered.includes(Number(chosen))) select.value = chosen;
  }

  go(step) {
    this.at = Math.max(0, Math.min(step, this.steps.length - 1));
    const { text, draw } = this.steps[this.at];
    this.$('step').value = this.at;
    this.$('step-number').textContent = `${this.at + 1} of ${this.steps.length}`;
    this.$('step-text').textContent = text;
    this.$('step-boards').replaceChildren(...draw);
    this.$('previous').disabled = this.$('first').disabled = this.at === 0;
    this.$('next').disabled = this.at === this.steps.length - 1;
  }
}

