// Techniques step by step. The numbers are the crate's own; here they get words and are drawn.

import { element, registers, smallBoard } from './draw.js';
import { members, squareName } from './position.js';

const COMPASS = ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west'];
const SHIFT = [8, 9, 1, -7, -8, -9, -1, 7];
const LINES = ['rank', 'file', 'diagonal', 'antidiagonal'];

const shifted = (direction, squares = 1) => {
  const by = squares * SHIFT[direction];
  return by > 0 ? `<< ${by}` : `>> ${-by}`;
};

/**
 * The techniques, by the numbers that the module gives them. `arguments` is what one chooses, `steps` makes of the words a list of steps,
 * each a text and drawings.
 */
export const TECHNIQUES = [
  {
    title: 'Dumb7Fill', arguments: ['towards'],
    idea: 'Shift the flood one square, keep what lands on an empty square, add it to what is filled. Six cycles, and one step more for the attacks.',
    steps([propagators, ...words], { direction, sliders, occupied }) {
      const marks = { sliders, occupied };
      const steps = [{
        text: 'The flood begins on the sliders. It may enter the empty squares, but none to which a step would wrap round an edge.',
        draw: [smallBoard('flood', words[0], marks), smallBoard('may enter', propagators, marks)],
      }];
      for (let cycle = 1; cycle <= 6; cycle++) {
        const [before, flood, filled] = [words[2 * cycle - 1], words[2 * cycle], words[2 * cycle + 1]];
        const came = members(filled & ~before).length;
        steps.push({
          text: `Cycle ${cycle}: flood = flood ${shifted(direction)} & may enter; filled |= flood. ${came ? `${came} new.` : 'Nothing new.'}`,
          draw: [smallBoard('flood', flood, marks), smallBoard('filled', filled, { ...marks, before })],
        });
      }
      steps.push({
        text: `One step beyond what is filled: the blockers are in, the sliders are not. attacks = filled ${shifted(direction)}, without wraps.`,
        draw: [smallBoard('filled', words[13], marks), smallBoard('attacks', words[14], marks)],
      });
      return steps;
    },
  },
  {
    title: 'Kogge-Stone', arguments: ['towards'],
    idea: 'The fill in three doubling steps: what can be crossed by one step, then by two, then by four.',
    steps([g0, p0, g1, p1, g2, p2, g3, , attacks], { direction, sliders, occupied }) {
      const marks = { sliders, occupied };
      const doubling = (squares, before, g, p) => ({
        text: `g |= p & g ${shifted(direction, squares)}${p === undefined ? '' : `; p &= p ${shifted(direction, squares)}`}. The fill has gone on by ${squares}: ${2 * squares - 1} in all.`,
        draw: [smallBoard('g, generators', g, { ...marks, before })].concat(p === undefined ? [] : [smallBoard(`p, crossed by ${2 * squares}`, p, marks)]),
      });
      return [
        { text: 'g are the sliders, p the squares that one step may enter.', draw: [smallBoard('g, generators', g0, marks), smallBoard('p, propagators', p0, marks)] },
        doubling(1, g0, g1, p1),
        doubling(2, g1, g2, p2),
        doubling(4, g2, g3),
        { text: 'One step beyond the fill, without wraps.', draw: [smallBoard('g, filled', g3, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Borrow, in one subtraction', arguments: [],
    idea: 'Eastward only. In o - 2r each slider borrows from the next occupied square, and the bits that change are its ray. The a-file is set as a barrier, so that no borrow runs into the next rank.',
    steps([minuend, subtrahend, difference, changed, attacks], { sliders, occupied }) {
      const marks = { sliders, occupied, bits: true };
      return [
        { text: 'o with the barrier: the occupied squares and the a-file. One number of 64 bits; bit 0 is a1.', draw: [smallBoard('o | a-file', minuend, marks)] },
        { text: '2r: twice each slider is the square east of it.', draw: [smallBoard('o | a-file', minuend, marks), smallBoard('2r', subtrahend, marks)] },
        { text: 'The difference: each slider has borrowed from the next occupied square, and the zeros between became ones.', draw: [smallBoard('2r', subtrahend, marks), smallBoard('(o | a-file) - 2r', difference, marks)] },
        { text: 'What changed, by xor with o.', draw: [smallBoard('(o | a-file) - 2r', difference, marks), smallBoard('xor o', changed, marks)] },
        { text: 'Without the a-file: the attacks.', draw: [smallBoard('xor o', changed, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Borrow, byte by byte', arguments: [],
    idea: 'Eastward only. Vectors subtract byte by byte, and a byte is a rank: no barrier. (o & ~r) - r.',
    steps([others, rooks, borrows, difference, attacks], { sliders, occupied }) {
      const marks = { sliders, occupied, bits: true };
      return [
        { text: 'The other pieces, and the sliders to be subtracted. Each rank is a byte of its own; its lowest bit is the a-file.', draw: [smallBoard('o & ~r', others, marks), smallBoard('r', rooks, marks)] },
        { text: 'Where a slider stands, 1 is taken from 0: it borrows. Empty squares hand the borrow on, a piece pays it.', draw: [smallBoard('r', rooks, marks), smallBoard('hands a borrow on', borrows, marks)] },
        { text: 'The difference of the bytes (psubb).', draw: [smallBoard('o & ~r', others, marks), smallBoard('(o & ~r) - r', difference, marks)] },
        { text: 'Compared with the occupied squares: the attacks, each borrow in its next place.', draw: [smallBoard('(o & ~r) - r', difference, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Hyperbola: two boards', arguments: ['line', 'square'],
    idea: 'One slider, one line. o - 2r makes the ray towards higher squares; the same on the reversed board makes the other.',
    steps([line, occupiedLine, forward, reversed, backward, returned, attacks], { occupied, square }) {
      const slider = 1n << BigInt(square);
      const marks = { sliders: slider, occupied };
      const turned = { sliders: 1n << BigInt(63 - square) };
      return [
        { text: `A slider on ${squareName(square)}, and what stands on its line.`, draw: [smallBoard('the line', line, marks), smallBoard('o, on the line', occupiedLine, marks)] },
        { text: 'o - 2r: the slider borrows from the next blocker above it.', draw: [smallBoard('o', occupiedLine, marks), smallBoard('o - 2r', forward, marks)] },
        { text: 'The second board: all bits in reverse. What was below is above.', draw: [smallBoard('o', occupiedLine, marks), smallBoard('o reversed', reversed, turned)] },
        { text: 'There the same subtraction.', draw: [smallBoard('o reversed', reversed, turned), smallBoard('o - 2r, reversed', backward, turned)] },
        { text: 'Reversed back.', draw: [smallBoard('o - 2r, reversed', backward, turned), smallBoard('reversed back', returned, marks)] },
        { text: 'Both differ from o in one ray each; so their xor, on the line, is the attacks.', draw: [smallBoard('o - 2r', forward, marks), smallBoard('reversed back', returned, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Rank slices: the cut', arguments: [],
    idea: 'A block of boards is cut until register i holds rank i of all of them. Then a step north is the next register. Here eight boards in eight words of eight bytes; a vector holds more.',
    steps(words, { eight }) {
      const rows = (i) => words.slice(8 * i, 8 * i + 8);
      // After an exchange of 4, 2, 1 rows: which board a byte of a row comes from.
      const boards = (row) => row;
      const after = (exchanged) => (row, byte) => (row & ~exchanged) | (byte & exchanged);
      const cut = (row, byte) => byte;
      const steps = [
        { text: 'Eight boards: the one above, and seven of the famous games. The sliders of one side, all taken as queens; a word each, a colour each.', draw: [element('div', { className: 'eight' }, ...eight.map(({ sliders, occupied }, i) => {
          const drawn = smallBoard(`board ${i}`, sliders, { sliders, occupied });
          drawn.style.setProperty('--hue', 45 * i);
          drawn.classList.add('owned');
          return drawn;
        }))] },
        { text: 'The same as words: row i is board i, a byte is a rank (the first rank on the left).', draw: [registers('words', rows(0), boards)] },
        { text: 'First exchange: rows 4 apart change places with half of each.', draw: [registers('after the exchange of 4', rows(1), after(4))] },
        { text: 'Second exchange: rows 2 apart, quarters.', draw: [registers('after the exchange of 2', rows(2), after(6))] },
        { text: 'Third exchange: rows 1 apart, single bytes. Now register i is rank i of all boards.', draw: [registers('cut: sliders', rows(3), cut), registers('cut: occupied', rows(4), cut)] },
      ];
      for (let rank = 1; rank < 8; rank++) {
        steps.push({
          text: `A step north, north-east and north-west is the next register: rank ${rank + 1} of all eight boards, at once.`,
          draw: [registers('sliders', rows(3), cut), registers('reached upward', rows(5), cut, rank + 1)],
        });
      }
      const of = (i, title) => element('div', { className: 'eight' }, ...eight.map(({ sliders, occupied }, k) => smallBoard(`${title} ${k}`, rows(i)[k], { sliders, occupied })));
      steps.push({ text: 'Cut back: the upward rays of eight boards.', draw: [of(6, 'upward')] });
      steps.push({ text: 'With the downward rays, which go the other way, and the ranks, which are borrows: all attacks of eight boards.', draw: [of(7, 'attacks')] });
      return steps;
    },
  },
];

/** The panel. `get` gives squares' sets: `{ sliders, occupied, eight }`. */
export class Stepper {
  constructor(engine, get) {
    this.engine = engine;
    this.get = get;
    this.at = 0;
    this.$ = (id) => document.getElementById(id);
    const options = (id, names) => this.$(id).append(...names.map((name, i) => new Option(name, i)));
    options('technique', TECHNIQUES.map(({ title }) => title));
    options('towards', COMPASS);
    options('line', LINES);
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

  /** Computes the steps of what is chosen, for the position there is. */
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
    this.words = words;
    this.steps = technique.steps(words, { direction, sliders, occupied, square, eight });
    this.$('idea').textContent = technique.idea;
    this.$('step').max = this.steps.length - 1;
    this.go(this.at);
  }

  /** A slider to start from: those of the side, or d4 if it has none. */
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

