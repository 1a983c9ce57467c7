// Shows techniques step by step. The module computes the values; this file explains and draws them.

import { element, hex, registers, smallBoard } from './draw.js';
import { moversTowards } from './operations.js';
import { members, squareName } from './position.js';

// The left shift for each direction; negative values shift right.
const SHIFT = [8, 9, 1, -7, -8, -9, -1, 7];

const shifted = (direction, squares = 1) => {
  const by = squares * SHIFT[direction];
  return by > 0 ? `<< ${by}` : `>> ${-by}`;
};

/**
 * The techniques, in the order of their numbers in the WebAssembly module. `arguments` names the
 * menus shown to the user. `movers` are the pieces treated as sliders, unless a direction or line
 * determines them. `steps` converts the module's words to a list of steps, each with an explanation
 * and drawings.
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
    title: 'Adder', arguments: [], movers: 'rq',
    idea: 'East only. An adder from bit operations: carries move one place per round, or in three doubling rounds. With the right summands, the carries of the sliders are their rays.',
    steps([x, y, ...words], { sliders, occupied }) {
      const marks = { sliders, occupied, bits: true };
      const rounds = words.splice(0, 16);
      const [g0, p0, g1, p1, g2, p2, g3, , sum, attacks] = words;
      const steps = [
        { text: 'Two summands. Each rank is a byte; its lowest bit is the a-file. x has a 0 only where other pieces stand, y has a 1 only where sliders stand. x + y is the complement of (o & ~r) - r, so its carries are the borrows of the subtraction.', draw: [smallBoard('x = ~(o & ~r)', x, marks), smallBoard('y = r', y, marks)] },
        { text: 'The sum without carries is x ^ y. A square carries where both bits are set, x & y: each slider does.', draw: [smallBoard('sum = x ^ y', rounds[0], marks), smallBoard('carries = x & y', rounds[1], marks)] },
      ];
      for (let round = 1; round < 8 && rounds[2 * round - 1]; round++) {
        steps.push({
          text: `Round ${round}: each carry moves one place, and is lost at the end of its byte. sum ^= carries << 1; a carry goes on if it meets a 1, which is an empty square.`,
          draw: [smallBoard('sum', rounds[2 * round], marks), smallBoard('carries', rounds[2 * round + 1], marks)],
        });
      }
      const doubling = (squares, before, g, p) => ({
        text: `g |= g << ${squares} & p${p === undefined ? '' : `; p &= p << ${squares}`}. ${2 * squares} neighbouring places now act like one place.`,
        draw: [smallBoard('g, carries', g, { ...marks, before })].concat(p === undefined ? [] : [smallBoard(`p, passes a carry through ${2 * squares} places`, p, marks)]),
      });
      steps.push(
        { text: 'All carries in three rounds. A place generates a carry if both bits are set: g = x & y. It propagates a carry that comes in if one bit is set: p = x ^ y, except for the lowest place of a byte.', draw: [smallBoard('g, generates', g0, marks), smallBoard('p, propagates', p0, marks)] },
        doubling(1, g0, g1, p1),
        doubling(2, g1, g2, p2),
        doubling(4, g2, g3),
        { text: 'Each carry goes into the next place. These squares are the attacks, and their xor with x ^ y is the sum. With shifts by 8, 9 or 7, the same rounds fill along the other lines: this is Kogge-Stone.', draw: [smallBoard('x + y, byte by byte', sum, marks), smallBoard('attacks', attacks, marks)] },
      );
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
    title: 'Borrow: one subtraction', arguments: [], movers: 'rq',
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
    title: 'Borrow: byte by byte', arguments: [], movers: 'rq',
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
    title: 'VPPERM', arguments: ['square'], movers: 'rbq',
    idea: 'An instruction of AMD processors with XOP. Each result byte is one of 32 source bytes, after one of eight operations. Two of these instructions do all reversals that the subtraction on two boards needs for a queen.',
    steps([operations, byOperation, swap, swapped, bits, reversedBits, low, reversed, high, reversedSlider, rook, bishop, rookDown, bishopDown, , rookBack, , bishopBack, rookAttacks, bishopAttacks, attacks], { occupied, square }) {
      const slider = 1n << BigInt(square);
      const marks = { sliders: slider, occupied, bits: true };
      const plain = { bits: true };
      const reversedMarks = { sliders: reversedSlider, occupied: reversed, bits: true };
      const bytes = (selector) => selector.toString(16).padStart(16, '0').match(/../g).reverse().join(' ');
      const selected = (selector) => ({ ...plain, note: `selector ${bytes(selector)}` });
      return [
        { text: `A queen on ${squareName(square)}, and the occupied squares. Each rank is a byte, the first rank is byte 0. The first source holds the occupied squares twice (bytes 0 to 7 and 8 to 15), the second source the queen (bytes 16 to 31).`, draw: [smallBoard('occupied', occupied, marks), smallBoard('queen', slider, marks)] },
        { text: `A selector byte has five bits for the source byte and three for the operation. Here all eight operations get byte ${square >> 3}, the rank of the queen. From bottom to top: the byte, the byte inverted, its bits reversed, its bits reversed and inverted, all zeros, all ones, its highest bit in all places, and that bit inverted in all places.`, draw: [smallBoard('occupied', occupied, marks), smallBoard('operations 0 to 7', byOperation, selected(operations))] },
        { text: 'Bytes 7 to 0, operation 0: the ranks in reverse order.', draw: [smallBoard('occupied', occupied, marks), smallBoard('bytes reversed', swapped, selected(swap))] },
        { text: 'Bytes 0 to 7, operation 2 (0x40): the bits of each rank reversed. The kernel xop computes rays to the west on such ranks.', draw: [smallBoard('occupied', occupied, marks), smallBoard('bits reversed', reversedBits, selected(bits))] },
        { text: 'Bytes 7 to 0, operation 2: the board as a reversed 64-bit number. The upper half of the selector does the same to the second source, so one instruction reverses both boards.', draw: [smallBoard('occupied, reversed', reversed, { ...reversedMarks, ...selected(low) }), smallBoard('queen, reversed', reversedSlider, { ...reversedMarks, ...selected(high) })] },
        { text: 'On the board, a subtraction along each line computes the rays towards higher squares, as in the technique with two boards.', draw: [smallBoard('rank and file', rook, marks), smallBoard('diagonals', bishop, marks)] },
        { text: 'On the reversed boards, the same subtractions compute the other rays.', draw: [smallBoard('rank and file, reversed', rookDown, reversedMarks), smallBoard('diagonals, reversed', bishopDown, reversedMarks)] },
        { text: 'The second VPPERM has the same selector. It reverses both results back.', draw: [smallBoard('rank and file, back', rookBack, { ...marks, note: `selector ${bytes(low)}` }), smallBoard('diagonals, back', bishopBack, { ...marks, note: `selector ${bytes(high)}` })] },
        { text: 'The unions of the rays: the attacks of a rook, of a bishop, and of the queen.', draw: [smallBoard('rook', rookAttacks, marks), smallBoard('bishop', bishopAttacks, marks), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
  {
    title: 'Switch', arguments: ['line', 'square'],
    idea: 'One slider, one line. Generated code tests the nearest square of a ray, then the next. Each outcome is a constant in the code, so no attacks are computed or loaded from a table.',
    steps(words, { occupied, square }) {
      const slider = 1n << BigInt(square);
      const marks = { sliders: slider, occupied };
      const attacks = words[16];
      const steps = [{ text: `A slider on ${squareName(square)}. A jump by the number of its square leads to the code for its lines.`, draw: [smallBoard('occupied', occupied, marks)] }];
      ['The ray to higher squares', 'The opposite ray'].forEach((title, ray) => {
        const constants = words.slice(8 * ray, 8 * ray + 7);
        const chosen = words[8 * ray + 7];
        const whole = constants[6];
        let tests = 0;
        for (; constants[tests] !== whole; tests++) {
          const constant = constants[tests];
          const tested = constant & ~(tests ? constants[tests - 1] : 0n);
          const hit = constant === chosen;
          steps.push({
            text: `${title}, test ${tests + 1}: is ${squareName(members(tested)[0])} occupied? ${hit ? `Yes: the constant is ${hex(constant)}.` : 'No: go on to the next square.'}`,
            draw: [smallBoard('tested', tested, marks), smallBoard(hit ? 'constant' : 'constant, if occupied', constant, marks)],
          });
          if (hit) return;
        }
        const last = whole ? `the last square of a ray makes no difference. The constant is the whole ray, ${hex(whole)}.` : 'the slider is at the edge, so the constant is 0.';
        steps.push({ text: `${title}: ${tests ? 'no more tests' : 'no test'}; ${last}`, draw: [smallBoard('constant', whole, marks)] });
      });
      steps.push({ text: 'The attacks: the union of the two constants. The CPU must predict the jumps. The last two tests of a ray choose between constants without a jump.', draw: [smallBoard('higher squares', words[7], marks), smallBoard('lower squares', words[15], marks), smallBoard('attacks', attacks, marks)] });
      return steps;
    },
  },
  {
    title: 'Rank slices', arguments: [], movers: 'rbq', eight: true,
    idea: 'A block of boards is transposed until register i holds rank i of every board. A step north is then a step to the next register. This example has eight boards in eight words; vector registers hold more.',
    steps(words, { eight }) {
      const rows = (i) => words.slice(8 * i, 8 * i + 8);
      // Three functions that return the board of a byte: before, during and after the exchanges.
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
  {
    title: 'Four views', arguments: [], movers: 'rq',
    idea: 'Rooks and queens. Each ray leads east in one of four views of the board, where a subtraction computes it. With GFNI, each of the three other views takes one instruction (gf2p8affineqb).',
    steps(words, { sliders, occupied }) {
      const marks = { sliders, occupied };
      const views = [
        ['the board', 'east', 'The board itself. Here o - 2r computes the rays to the east.'],
        ['reversed', 'west', 'The reversed view: the bits of each rank in reverse order. West becomes east.'],
        ['turned', 'south', 'The turned view: the board flipped over the diagonal from a8 to h1. Files become ranks, and south becomes east.'],
        ['turned and reversed', 'north', 'The turned view, with the bits of each rank reversed. North becomes east.'],
      ];
      const steps = views.flatMap(([view, direction, text], i) => {
        const [rooks, all, east, back] = words.slice(4 * i, 4 * i + 4);
        const inView = { sliders: rooks, occupied: all };
        const same = i === 0;
        const found = { text: `The attacks to the east in this view${same ? '' : `, and back on the board, where they lead ${direction}`}.`, draw: [smallBoard(`east, ${view}`, east, inView)].concat(same ? [] : [smallBoard(direction, back, marks)]) };
        return [{ text, draw: (same ? [] : [smallBoard('the board', occupied, marks)]).concat(smallBoard(view, all, inView)) }, found];
      });
      steps.push({ text: 'The attacks: the union of all four rays. The code unites the two rays of the turned views before it flips them back, which saves a flip.', draw: [...views.map(([, direction], i) => smallBoard(direction, words[4 * i + 3], marks)), smallBoard('attacks', words[16], marks)] });
      return steps;
    },
  },
  {
    title: 'Rays of a mailbox', arguments: ['square'], movers: 'rbq',
    idea: 'One square. The bytes of a board with a piece per square are permuted, so that each ray is one number. Its lowest set bit is the nearest piece: not only where it is, but also which. Networks with threats as inputs need this at every move.',
    steps([all, pieces, negated, near, reached, found, attacks], { occupied, square }) {
      const marks = { sliders: 1n << BigInt(square), occupied };
      const view = { occupied: pieces };
      const bits = { ...view, bits: true };
      const rows = { note: 'top to bottom: NW W SW S SE E NE N' };
      return [
        { text: `The square ${squareName(square)}, and the occupied squares. A mailbox has a byte for each square, which holds the piece.`, draw: [smallBoard('occupied', occupied, marks)] },
        { text: 'A permutation of bytes gives the view of the square. Each row is a ray, clockwise from north in the lowest row. Its first byte is one of the knight\'s jumps, the others are the squares one to seven steps away. The rest is off the board.', draw: [smallBoard('on the board', all, { ...view, ...rows }), smallBoard('occupied, in the view', pieces, { ...view, ...rows })] },
        { text: 'Each row, without its first byte, is a 64-bit number r. Here an occupied byte is 1, and the drawing shows the lowest bit of each byte of -r. Up to the nearest piece the bits stay, beyond it they are inverted.', draw: [smallBoard('r', pieces & ~0x0101010101010101n, bits), smallBoard('-r', negated, bits)] },
        { text: 'r & -r: only the nearest piece of each ray is left. If each kind of piece is one bit, so is the kind.', draw: [smallBoard('-r', negated, bits), smallBoard('r & -r', near, bits)] },
        { text: 'The nearest pieces, back on the board. One AND with a constant finds those that attack the square, and one those that a piece on it attacks.', draw: [smallBoard('nearest, in the view', near, view), smallBoard('nearest pieces', found, marks)] },
        { text: 'The bytes up to the nearest piece are the attacks of a queen.', draw: [smallBoard('reached, in the view', reached, view), smallBoard('attacks', attacks, marks)] },
      ];
    },
  },
];

/** The sliders that take part in a technique. */
function movers(technique, direction, line) {
  if (technique.arguments.includes('towards')) return moversTowards(direction);
  if (technique.arguments.includes('line')) return line < 2 ? 'rq' : 'bq';
  return technique.movers;
}

const NAMES = { rq: 'rook or queen', bq: 'bishop or queen', rbq: 'slider' };

/**
 * The legend's entries: a selector that finds the mark in a drawing, the classes of the sample's
 * outer and inner element, and the meaning.
 */
const LEGEND = [
  ['.cell.on', 'cells', 'pale on', 'in the set'],
  ['.cell.new', 'cells', 'pale new', 'new in this step'],
  ['.cells:not(.bits) .slider', 'cells', 'pale slider', 'slider'],
  ['.cells:not(.bits) .blocker', 'cells', 'pale blocker', 'other piece'],
  ['.bits .slider', 'cells bits', 'pale slider', 'slider'],
  ['.bits .blocker', 'cells bits', 'pale blocker', 'other piece'],
  ['.byte', 'byte', '', 'a byte; its colour is that of the board it comes from'],
  ['.byte .on', 'byte', 'on', 'a square in the set'],
];

/** The legend of the drawings in `drawn`. */
function legend(drawn) {
  return LEGEND.filter(([where]) => drawn.querySelector(where)).map(([, outer, inner, meaning]) => {
    const sample = element('span', { className: `sample ${outer}` }, element('i', { className: outer === 'byte' ? inner : `cell ${inner}` }));
    sample.setAttribute('aria-hidden', 'true');
    return element('li', {}, sample, meaning);
  });
}

/**
 * The panel of a technique. `get(letters)` returns the position's sets as
 * `{ side, sliders, occupied, eight }`. `sliders` are the side's pieces with these letters. `eight`
 * are eight boards: this position's and seven others'.
 */
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
    const direction = Number(this.$('towards').value);
    const line = Number(this.$('line').value);
    const letters = movers(technique, direction, line);
    const { side, sliders, occupied, eight } = this.get(letters);
    this.offerSquares(members(sliders));
    const square = Number(this.$('square').value || 27);
    const boards = technique.eight ? eight : [{ sliders, occupied }];
    const argument = technique.arguments.includes('square') ? 64 * line + square : direction;
    const words = this.engine.steps(number, argument, boards.map((board) => board.sliders), boards.map((board) => board.occupied));
    this.steps = technique.steps(words, { direction, sliders, occupied, square, eight });
    this.$('idea').textContent = technique.idea + (sliders ? '' : ` ${side} has no ${NAMES[letters]} on this board.`);
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
    this.$('step-legend').replaceChildren(...legend(this.$('step-boards')));
    this.$('previous').disabled = this.$('first').disabled = this.at === 0;
    this.$('next').disabled = this.at === this.steps.length - 1;
  }
}

