// Connects the board, the choice of an operation and the results.

import { Board } from './board.js';
import { element, hex, ranks } from './draw.js';
import { load } from './engine.js';
import { choices, evaluate, legalMoves, offered, title } from './operations.js';
import { EMPTY, EXAMPLE, START, members, parse, set, squareName, write } from './position.js';
import { setUp } from './race.js';
import { Stepper } from './steps.js';

const $ = (id) => document.getElementById(id);

/** Parses the part of the address after #: `fen=...&show=...&of=...&towards=...&build=...`. */
function readAddress() {
  const address = {};
  for (const part of location.hash.slice(1).split('&')) {
    const at = part.indexOf('=');
    if (at > 0) {
      try {
        address[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
      } catch {
        address[part.slice(0, at)] = part.slice(at + 1);
      }
    }
  }
  return address;
}

function writeAddress() {
  const operation = operations[$('operation').value];
  const parts = { fen: state.fen, show: operation.name, of: $('side').value };
  if (choices(operation).length) parts.towards = choices(operation)[$('choice').value];
  if (build) parts.build = build;
  history.replaceState(null, '', '#' + Object.entries(parts).map(([name, value]) => `${name}=${value}`).join('&'));
}

const { build } = readAddress();
const [engine, games] = await Promise.all([load(build), fetch('games.json').then((response) => response.json())]);
const operations = offered(engine);
const state = { fen: EXAMPLE, squares: parse(EXAMPLE) };

/**
 * The start position, then the position after each move of a game, each as `{ text, fen }`. `text`
 * is `start`, or the move with its number.
 */
function positions(game) {
  const squares = parse(START);
  const all = [{ text: 'start', fen: START }];
  (game?.[1].split(',') ?? []).forEach((move, i) => {
    const [san, changes] = move.split(' ');
    for (const [, square, piece] of changes.matchAll(/([a-h][1-8])(.)/g)) squares[square.charCodeAt(0) - 97 + 8 * (square[1] - 1)] = piece === '.' ? '' : piece;
    all.push({ text: `${1 + (i >> 1)}.${i % 2 ? '..' : ''} ${san}`, fen: write(squares) });
  });
  return all;
}
const seven = [0, 7, 14, 21, 28, 35, 42].map((number) => parse(positions(games[number % games.length])[24].fen));

const stepper = new Stepper(engine, (letters) => {
  const white = $('side').value === 'w';
  const sets = (squares) => ({ sliders: set(squares, white ? letters.toUpperCase() : letters), occupied: set(squares, 'pnbrqkPNBRQK') });
  return { side: white ? 'White' : 'Black', ...sets(state.squares), eight: [state.squares, ...seven].map(sets) };
});

/** Returns a function that measures a square's distance from the set `from`, in king moves. */
function distances(from) {
  const starts = members(from);
  const apart = (a, b) => Math.max(Math.abs((a % 8) - (b % 8)), Math.abs((a >> 3) - (b >> 3)));
  return (square) => (starts.length ? Math.min(...starts.map((start) => apart(start, square))) : 0);
}

/** Runs the selected operation on a position and highlights the results. */
function show(fen, live) {
  const squares = parse(fen);
  const operation = operations[$('operation').value];
  const choice = Number($('choice').value || 0);
  const side = $('side').value;
  const { inputs, outputs } = evaluate(engine, operation, choice, squares, side);
  const occupied = set(squares, 'pnbrqkPNBRQK');
  const lights = [];
  const shown = outputs.filter(({ lit }) => lit);
  shown.forEach(({ bits }, i) => {
    lights.push({ bits: bits & ~occupied, name: `empty output-${i}` }, { bits: bits & occupied, name: `piece output-${i}` });
  });
  const whole = operation.inputs[0].role === 'Positions';
  board.lit.show(lights, live ? undefined : distances(whole ? 0n : inputs[0].bits));
  if (live) return;
  Object.assign(state, { fen, squares });
  const found = shown.map(({ title, bits }) => (shown.length > 1 ? `${title} ${members(bits).length}` : `${members(bits).length} squares`)).join(', ');
  const chosen = choices(operation).length ? ` (${choices(operation)[choice]})` : '';
  $('said').textContent = `${side === 'w' ? 'White' : 'Black'}, ${title(operation.name)}${chosen}: ${found}`;
  $('about').textContent = operation.summary.split('\n\n')[0].replaceAll('\n', ' ');
  $('legend').replaceChildren(...shown.flatMap(({ title }, i) => legend(title, i)));
  const legal = legalMoves(engine, squares, side);
  $('legal').textContent = legal.text;
  $('moves').textContent = legal.moves.join(' ');
  $('fen').value = fen;
  markButtons();
  $('bitboards').replaceChildren(...inputs.map((input) => bitboard(input, 'in')), ...outputs.map((output) => bitboard(output, output.lit ? 'out lit' : 'out')));
  stepper.update();
  writeAddress();
}

/** The legend of a result. The first result has one colour for empty squares and one for pieces. */
function legend(title, i) {
  const item = (name, meaning) => element('li', {
    innerHTML: `<svg viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" class="square"/><rect x="3" y="3" width="34" height="34" rx="4" class="light ${name} output-${i}"/></svg>`,
  }, meaning);
  return i ? [item('empty', title)] : [item('empty', `${title}, empty square`), item('piece', `${title}, occupied square`)];
}

/** Disables the buttons that would change nothing. */
function markButtons() {
  for (const [id, fen] of [['start', START], ['clear', EMPTY], ['example', EXAMPLE]]) $(id).disabled = state.fen === fen;
  $('set').disabled = $('fen').value === state.fen;
  if ($('set').disabled) $('fen-error').textContent = '';
  const ply = Number($('ply').value);
  $('back').disabled = game.length === 0 || ply === 0;
  $('forth').disabled = ply >= game.length - 1;
}

/** A row of the list of bitboards: title, value in hex and as bits, and buttons to copy them. */
function bitboard({ name, bits, title }, kind) {
  const copy = (what, text) => {
    const button = element('button', { type: 'button', className: 'copy', textContent: `Copy ${what}` });
    button.setAttribute('aria-label', `Copy ${name} as ${what}`);
    button.addEventListener('click', () => copyText(text, button));
    return button;
  };
  const plain = hex(bits).replaceAll('_', '');
  const row = element('details', { className: kind, open: openRows.has(kind + name), ontoggle: (event) => openRows[event.target.open ? 'add' : 'delete'](kind + name) },
    element('summary', {}, element('b', { textContent: `${kind === 'in' ? '' : '→ '}${title}` }), element('code', { textContent: hex(bits) })),
    element('div', { className: 'row' }, element('pre', { textContent: ranks(bits) }), element('div', { className: 'copies' }, copy('hex', plain), copy('bits', ranks(bits)))));
  row.dataset.name = name;
  return row;
}
const openRows = new Set();
let game = [];

async function copyText(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => { button.textContent = label; }, 1200);
}

/** Lists the values of the operation's parameter, or hides the list if it has no parameter. */
function offerChoices(preferred) {
  const { parameter } = operations[$('operation').value];
  const values = choices(operations[$('operation').value]);
  const wanted = preferred ?? values[$('choice').value];
  $('choice-label').hidden = values.length === 0;
  $('choice-name').textContent = parameter?.name;
  $('choice').replaceChildren(...values.map((name, i) => new Option(name, i)));
  $('choice').value = Math.max(0, values.indexOf(wanted));
}

function setFen(fen) {
  try {
    const placement = write(parse(fen));
    if (placement === state.fen) show(placement);
    else board.set(placement);
    return true;
  } catch (error) {
    $('fen-error').textContent = error.message;
    return false;
  }
}

function goTo(ply) {
  $('ply').value = ply;
  board.set(game[ply].fen);
  markButtons();
}

function fromAddress() {
  const address = readAddress();
  const operation = operations.findIndex(({ name }) => name === address.show);
  if (operation >= 0) $('operation').value = operation;
  if (address.of === 'w' || address.of === 'b') $('side').value = address.of;
  offerChoices(address.towards);
  return address.fen;
}

$('operation').append(...operations.map(({ name }, i) => new Option(title(name), i)));
$('operation').value = operations.findIndex(({ name }) => name === 'slider_attacks');
$('game').append(...games.map(([title], i) => new Option(title, i)));
const first = fromAddress();

const board = new Board($('board'), $('palette'), EXAMPLE, (fen, live) => show(fen, live));
show(EXAMPLE);
if (first !== undefined) setFen(first);

for (const id of ['operation', 'side', 'choice']) {
  $(id).addEventListener('change', () => {
    if (id === 'operation') offerChoices();
    show(state.fen);
  });
}
$('start').addEventListener('click', () => board.set(START));
$('clear').addEventListener('click', () => board.set(EMPTY));
$('example').addEventListener('click', () => board.set(EXAMPLE));
$('link').addEventListener('click', () => copyText(location.href, $('link')));
$('fen-form').addEventListener('submit', (event) => {
  event.preventDefault();
  setFen($('fen').value);
});
$('fen').addEventListener('input', markButtons);
$('game').addEventListener('change', () => {
  game = $('game').value === '' ? [] : positions(games[$('game').value]);
  $('ply').disabled = game.length === 0;
  $('ply').replaceChildren(...game.map(({ text }, i) => new Option(text, i)));
  if (game.length) goTo(Math.min(game.length - 1, 24));
  else markButtons();
});
$('ply').addEventListener('change', () => goTo(Number($('ply').value)));
$('back').addEventListener('click', () => goTo(Number($('ply').value) - 1));
$('forth').addEventListener('click', () => goTo(Number($('ply').value) + 1));
addEventListener('hashchange', () => {
  const fen = fromAddress();
  if (fen !== undefined) setFen(fen);
});

$('kernel').textContent = `Kernel ${engine.active}, build ${engine.build === 'plain' ? 'without' : 'with'} vector instructions (SIMD)`;
if (engine.build === 'simd128') $('other').append(element('a', { href: '#build=plain', textContent: 'Use the build without vector instructions.', onclick: () => setTimeout(() => location.reload()) }));
else if (build) $('other').append(element('a', { href: '#', textContent: 'Use the fastest build.', onclick: () => setTimeout(() => location.reload()) }));
setUp(engine);
// Stores the page for visits without a network. If the browser refuses, the page still works.
navigator.serviceWorker?.register('offline.js').catch((error) => console.info(`not stored: ${error.message}`));

// The tests use these objects, and so can the browser's console.
window.setwise = { engine, state, stepper, board, squareName };
document.documentElement.dataset.ready = engine.build;
