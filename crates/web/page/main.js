// The page: what is on the board, what is asked of it, what is lit.

import { Board } from './board.js';
import { element, hex, ranks } from './draw.js';
import { load } from './engine.js';
import { evaluate, offered } from './operations.js';
import { EMPTY, EXAMPLE, START, members, parse, set, squareName, write } from './position.js';
import { setUp } from './race.js';
import { Stepper } from './steps.js';

const $ = (id) => document.getElementById(id);

/** The address after #: `fen=...&show=...&of=...&towards=...`. */
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
  if (operation.indices.length) parts.towards = operation.indices[$('index').value];
  if (asked) parts.build = asked;
  history.replaceState(null, '', '#' + Object.entries(parts).map(([name, value]) => `${name}=${value}`).join('&'));
}

const asked = readAddress().build;
const [engine, games] = await Promise.all([load(asked), fetch('games.json').then((response) => response.json())]);
const operations = offered(engine);
const state = { fen: EXAMPLE, squares: parse(EXAMPLE), result: null };

/** Positions of a game by move: the start, then one after each. */
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

function sliders(squares) {
  return set(squares, $('side').value === 'w' ? 'RBQ' : 'rbq');
}

const stepper = new Stepper(engine, () => ({
  sliders: sliders(state.squares),
  occupied: set(state.squares, 'pnbrqkPNBRQK'),
  eight: [state.squares, ...seven].map((squares) => ({ sliders: sliders(squares), occupied: set(squares, 'pnbrqkPNBRQK') })),
}));

/** How many king's steps a square is from the nearest piece that may have sent the flood. */
function distances(from) {
  const starts = members(from);
  const apart = (a, b) => Math.max(Math.abs((a % 8) - (b % 8)), Math.abs((a >> 3) - (b >> 3)));
  return (square) => (starts.length ? Math.min(...starts.map((start) => apart(start, square))) : 0);
}

/** Evaluates what is asked of a position and lights the squares. */
function show(fen, live) {
  const squares = parse(fen);
  const operation = operations[$('operation').value];
  const index = Number($('index').value || 0);
  const side = $('side').value;
  const result = evaluate(engine, operation, index, squares, side);
  const occupied = set(squares, 'pnbrqkPNBRQK');
  const lights = [];
  const shining = result.outputs.filter(({ lit }) => lit);
  shining.forEach(({ bits }, i) => {
    lights.push({ bits: bits & ~occupied, name: `empty output-${i}` }, { bits: bits & occupied, name: `piece output-${i}` });
  });
  const senders = operation.inputs.length > 6 ? 0n : result.inputs[0][1];
  board.lit.show(lights, live ? undefined : distances(senders));
  if (live) return;
  Object.assign(state, { fen, squares, result });
  const found = shining.map(({ title, bits }) => (shining.length > 1 ? `${title} ${members(bits).length}` : `${members(bits).length} squares`)).join(', ');
  const towards = operation.indices.length ? ` (${operation.indices[index]})` : '';
  $('said').textContent = `${side === 'w' ? 'White' : 'Black'}, ${operation.title}${towards}: ${found}`;
  $('fen').value = fen;
  $('fen-error').textContent = '';
  $('bitboards').replaceChildren(...[...result.inputs.map(([name, bits]) => [name, bits, 'in', name]), ...result.outputs.map(({ name, bits, lit, title }) => [name, bits, lit ? 'out shining' : 'out', title])].map(bitboard));
  stepper.update();
  writeAddress();
}

/** A row of the bitboards: name, hex, bits; both to be copied. */
function bitboard([name, bits, way, title]) {
  const copy = (what, text) => {
    const button = element('button', { type: 'button', className: 'copy', textContent: `Copy ${what}` });
    button.setAttribute('aria-label', `Copy ${name} as ${what}`);
    button.addEventListener('click', () => copyText(text, button));
    return button;
  };
  const plain = hex(bits).replaceAll('_', '');
  const row = element('details', { className: way, open: openRows.has(way + name), ontoggle: (event) => openRows[event.target.open ? 'add' : 'delete'](way + name) },
    element('summary', {}, element('b', { textContent: `${way === 'in' ? '' : '→ '}${title.replaceAll('_', ' ')}` }), element('code', { textContent: hex(bits) })),
    element('div', { className: 'row' }, element('pre', { textContent: ranks(bits) }), element('div', { className: 'copies' }, copy('hex', plain), copy('bits', ranks(bits)))));
  row.dataset.name = name;
  return row;
}
const openRows = new Set();

async function copyText(text, button) {
  const said = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'The browser forbids it';
  }
  setTimeout(() => { button.textContent = said; }, 1200);
}

/** Only what an operation of directions takes is asked for. */
function offerIndices(chosen) {
  const { indices } = operations[$('operation').value];
  const wanted = chosen ?? indices[$('index').value];
  $('index-label').hidden = indices.length === 0;
  $('index').replaceChildren(...indices.map((name, i) => new Option(name, i)));
  $('index').value = Math.max(0, indices.indexOf(wanted));
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
  const select = $('ply');
  if (select.disabled || ply < 0 || ply >= select.options.length) return;
  select.value = ply;
  board.set(game[ply].fen);
}
let game = [];

function fromAddress() {
  const address = readAddress();
  const operation = operations.findIndex(({ name }) => name === address.show);
  if (operation >= 0) $('operation').value = operation;
  if (address.of === 'w' || address.of === 'b') $('side').value = address.of;
  offerIndices(address.towards);
  return address.fen;
}

$('operation').append(...operations.map(({ title }, i) => new Option(title, i)));
$('operation').value = operations.findIndex(({ name }) => name === 'slider_attacks');
$('game').append(...games.map(([title], i) => new Option(title, i)));
const first = fromAddress();

const board = new Board($('board'), $('palette'), EXAMPLE, (fen, live) => show(fen, live));
show(EXAMPLE);
if (first !== undefined) setFen(first);

for (const id of ['operation', 'side', 'index']) {
  $(id).addEventListener('change', () => {
    if (id === 'operation') offerIndices();
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
$('game').addEventListener('change', () => {
  game = $('game').value === '' ? [] : positions(games[$('game').value]);
  $('ply').disabled = game.length === 0;
  $('ply').replaceChildren(...game.map(({ text }, i) => new Option(text, i)));
  goTo(Math.min(game.length - 1, 24));
});
$('ply').addEventListener('change', () => goTo(Number($('ply').value)));
$('back').addEventListener('click', () => goTo(Number($('ply').value) - 1));
$('forth').addEventListener('click', () => goTo(Number($('ply').value) + 1));
addEventListener('hashchange', () => {
  const fen = fromAddress();
  if (fen !== undefined) setFen(fen);
});

$('kernel').textContent = `Kernel ${engine.active}, build ${engine.build === 'plain' ? 'without' : 'with'} vectors (SIMD)`;
if (engine.build === 'simd128') $('other').append(element('a', { href: '#build=plain', textContent: 'Use the build without vectors.', onclick: () => setTimeout(() => location.reload()) }));
else if (asked) $('other').append(element('a', { href: '#', textContent: 'Use the best build.', onclick: () => setTimeout(() => location.reload()) }));
setUp(engine);

// For tests, and for the curious at the console.
window.setwise = { engine, state, stepper, board, squareName };
document.documentElement.dataset.ready = engine.build;
