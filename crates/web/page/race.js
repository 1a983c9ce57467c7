// The kernels of this browser, timed side by side on the same random boards.

import { element } from './draw.js';

const OPERATIONS = { slider_attacks: 'all sliders', rook_attacks: 'rooks', bishop_attacks: 'bishops', queen_attacks: 'queens' };
const ROUNDS = 9;
const SAMPLE = 15; // milliseconds that one sample should take
const ORACLE = 13; // from this input column on: orthogonal and diagonal sliders, occupied squares, for the check

function randomBoards(count) {
  const words = new BigUint64Array(count);
  for (let from = 0; from < count; from += 8192) crypto.getRandomValues(words.subarray(from, Math.min(count, from + 8192)));
  return words;
}

/** Sets of one to three squares. */
function few(count) {
  const random = new Uint8Array(4 * count);
  for (let from = 0; from < random.length; from += 65536) crypto.getRandomValues(random.subarray(from, from + 65536));
  return BigUint64Array.from({ length: count }, (_, i) => {
    let set = 0n;
    for (let k = 0; k <= random[4 * i] % 3; k++) set |= 1n << BigInt(random[4 * i + 1 + k] & 63);
    return set;
  });
}

/** The same boards for all kernels; returns what the oracle needs. */
function prepare(engine, name) {
  const count = engine.boards;
  const [a, b] = [randomBoards(count), randomBoards(count)];
  const occupied = a.map((word, i) => word & b[i]);
  const [first, second] = [few(count), few(count)];
  const none = new BigUint64Array(count);
  const columns = name === 'slider_attacks' ? [first, second, occupied] : [first, occupied];
  columns.forEach((column, i) => engine.input(i).set(column));
  const oracle = { slider_attacks: [first, second], rook_attacks: [first, none], bishop_attacks: [none, first], queen_attacks: [first, first] }[name];
  [...oracle, occupied].forEach((column, i) => engine.input(ORACLE + i).set(column));
}

const pause = () => new Promise((resolve) => setTimeout(resolve));
const median = (numbers) => [...numbers].sort((x, y) => x - y)[numbers.length >> 1];

export async function race(engine, name, progress) {
  prepare(engine, name);
  const operation = engine.operations.indexOf(engine.operation(name));
  const run = (kernel, passes) => {
    const start = performance.now();
    engine.module.evaluate(kernel, operation, 0, engine.boards, passes);
    return performance.now() - start;
  };
  const runners = [];
  for (let kernel = 0; kernel < engine.kernels.length; kernel++) {
    engine.output(0).fill(~0n);
    run(kernel, 1);
    const wrong = engine.module.check(engine.boards);
    if (wrong >= 0) throw new Error(`${engine.kernels[kernel].name} is wrong on board ${wrong} of ${engine.boards}`);
    let passes = 1;
    while (run(kernel, passes) < SAMPLE && passes < 65536) passes *= 2;
    runners.push({ kernel, passes, samples: [] });
    progress(`checked ${engine.kernels[kernel].name}`);
    await pause();
  }
  for (let round = 1; round <= ROUNDS; round++) {
    for (const runner of runners) runner.samples.push(run(runner.kernel, runner.passes));
    progress(`round ${round} of ${ROUNDS}`);
    await pause();
  }
  return runners
    .map(({ kernel, passes, samples }) => ({ ...engine.kernels[kernel], speed: (engine.boards * passes) / median(samples) / 1000 }))
    .sort((a, b) => b.speed - a.speed);
}

export function setUp(engine) {
  const $ = (id) => document.getElementById(id);
  $('race-operation').append(...Object.entries(OPERATIONS).map(([name, title]) => new Option(title, name)));
  $('race').addEventListener('click', async () => {
    $('race').disabled = true;
    try {
      const results = await race(engine, $('race-operation').value, (text) => { $('race-said').textContent = text; });
      const best = results[0].speed;
      $('bars').replaceChildren(...results.map(({ name, technique, speed }) => {
        const bar = element('div', { className: 'bar' });
        bar.style.width = `${(100 * speed) / best}%`;
        return element('div', { className: 'racer', title: technique }, element('b', { textContent: name }), element('div', { className: 'track' }, bar), element('span', { textContent: speed.toFixed(speed < 10 ? 1 : 0) }));
      }));
      $('race-said').textContent = `Million boards a second, medians of ${ROUNDS} rounds in turn; each kernel was first checked on ${engine.boards} random boards.`;
    } catch (error) {
      $('race-said').textContent = String(error.message ?? error);
      $('bars').replaceChildren();
    }
    $('race').disabled = false;
  });
}
