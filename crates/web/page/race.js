// Times the kernels that this browser can run, on the same random boards.

import { element } from './draw.js';
import { title } from './operations.js';

const ROUNDS = 21;
const SAMPLE = 15; // milliseconds that one sample should take
// The number of rounds that a clear winner must win. A fair coin wins at least this many of 21
// rounds in one race of 75.
const CLEAR = 16;
// The machine is busy if a quarter of the samples take more than this multiple of the fastest one.
const BUSY = 1.15;

const pause = () => new Promise((resolve) => setTimeout(resolve));

/**
 * Checks every kernel, then times all of them in every round. Returns the `summary` of the samples.
 * `clock` returns milliseconds.
 */
export async function race(engine, name, progress, clock = () => performance.now()) {
  const seed = crypto.getRandomValues(new BigUint64Array(1))[0];
  const start = () => engine.module.randomize(engine.number(name), 0, seed);
  const run = (kernel, passes) => {
    const from = clock();
    engine.module.run(kernel, passes);
    return clock() - from;
  };
  const runners = [];
  for (let kernel = 0; kernel < engine.kernels.length; kernel++) {
    start(); // clears the previous kernel's outputs
    run(kernel, 1);
    const wrong = engine.module.first_wrong();
    if (wrong >= 0) throw new Error(`${engine.kernels[kernel].name} is wrong on board ${wrong} of ${engine.boards}`);
    let passes = 1;
    // Take the fastest of three runs: an interrupted run would end the search too early.
    while (Math.min(run(kernel, passes), run(kernel, passes), run(kernel, passes)) < SAMPLE && passes < 65536) passes *= 2;
    runners.push({ ...engine.kernels[kernel], kernel, passes, samples: [] });
    progress(`checked ${engine.kernels[kernel].name}`);
    await pause();
  }
  // The results of the first round do not count: the browser may still be compiling.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const runner of order(runners, round)) {
      const time = run(runner.kernel, runner.passes);
      if (round > 0) runner.samples.push(time / (engine.boards * runner.passes));
    }
    progress(`round ${round} of ${ROUNDS}`);
    await pause();
  }
  return summary(runners);
}

/**
 * The order of the kernels in a round. Each pair of rounds starts one kernel later than the pair
 * before, and the second round of a pair runs in reverse. So every kernel runs in every place about
 * equally often.
 */
function order(runners, round) {
  const turned = runners.map((_, i) => runners[(i + (round >> 1)) % runners.length]);
  return round % 2 ? turned.reverse() : turned;
}

/**
 * Returns the kernels as `results`, fastest first. Their `samples` are milliseconds per board, one
 * per round. `speed` is the median, in million boards per second. All rounds but the two slowest
 * and the two fastest lie between the speeds `slow` and `fast`. `busy` says whether the machine was
 * busy. `wins` is the number of rounds in which the first kernel was faster than the second.
 */
export function summary(runners) {
  const ascending = (numbers) => [...numbers].sort((x, y) => x - y);
  const results = runners.map((runner) => {
    const samples = ascending(runner.samples);
    const speed = (number) => 1 / samples.at(number) / 1000;
    return { ...runner, fastest: samples[0], speed: speed(samples.length >> 1), slow: speed(-3), fast: speed(2) };
  }).sort((a, b) => b.speed - a.speed);
  const excess = ascending(results.flatMap(({ samples, fastest }) => samples.map((sample) => sample / fastest)));
  const [first, second] = results;
  return {
    results,
    busy: excess[Math.floor(0.75 * excess.length)] > BUSY,
    wins: first.samples.filter((sample, round) => sample < second.samples[round]).length,
  };
}

/** The sentences that report the race's result. */
export function verdict({ results: [first, second], busy, wins }) {
  const rounds = first.samples.length;
  return [
    `${first.name} was faster than ${second.name} in ${wins} of ${rounds} rounds${wins < CLEAR ? ', so neither clearly wins' : ''}.`,
    ...(busy ? [`Your machine is busy: a quarter of the samples took more than ${BUSY} times as long as the fastest. Close kernels may change places.`] : []),
  ].join(' ');
}

export function setUp(engine) {
  const $ = (id) => document.getElementById(id);
  $('race-operation').append(...engine.operations.filter(({ byValue }) => !byValue).map(({ name, parameter }) => new Option(parameter ? `${title(name)} (${parameter.values[0]})` : title(name), name)));
  $('race-operation').value = 'slider_attacks';
  $('race').addEventListener('click', async () => {
    $('race').disabled = true;
    try {
      const found = await race(engine, $('race-operation').value, (text) => { $('race-said').textContent = text; });
      const best = Math.max(...found.results.map(({ fast }) => fast));
      const width = (speed) => `${(100 * speed) / best}%`;
      $('bars').replaceChildren(...found.results.map(({ name, description, speed, slow, fast }) => {
        const digits = speed < 10 ? 1 : 0;
        const bar = element('div', { className: 'bar' });
        bar.style.width = width(speed);
        const spread = element('div', { className: 'spread' });
        spread.style.left = width(slow);
        spread.style.width = width(fast - slow);
        return element('div', { className: 'racer', title: description },
          element('b', { textContent: name }),
          element('div', { className: 'track' }, bar, spread),
          element('span', { textContent: speed.toFixed(digits) }),
          element('small', { textContent: `${slow.toFixed(digits)} to ${fast.toFixed(digits)}` }));
      }));
      $('race-said').textContent = `${verdict(found)} Bars: million boards per second, the median of ${ROUNDS} rounds, each of which runs every kernel. Lines: all rounds but the two slowest and the two fastest. Each kernel was first checked on ${engine.boards} random boards.`;
    } catch (error) {
      $('race-said').textContent = String(error.message ?? error);
      $('bars').replaceChildren();
    }
    $('race').disabled = false;
  });
}
