// Times the kernels that this browser can run, on the same random boards.

import { element } from './draw.js';
import { title } from './operations.js';

const ROUNDS = 9;
const SAMPLE = 15; // milliseconds that one sample should take

const pause = () => new Promise((resolve) => setTimeout(resolve));
const median = (numbers) => [...numbers].sort((x, y) => x - y)[numbers.length >> 1];

/** Checks and times every kernel. Returns the kernels with their speeds, the fastest first. */
export async function race(engine, name, progress) {
  const seed = crypto.getRandomValues(new BigUint64Array(1))[0];
  const start = () => engine.module.randomize(engine.number(name), 0, seed);
  const run = (kernel, passes) => {
    const from = performance.now();
    engine.module.run(kernel, passes);
    return performance.now() - from;
  };
  const runners = [];
  for (let kernel = 0; kernel < engine.kernels.length; kernel++) {
    start(); // clears the previous kernel's outputs
    run(kernel, 1);
    const wrong = engine.module.first_wrong();
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
  $('race-operation').append(...engine.operations.filter(({ byValue }) => !byValue).map(({ name, parameter }) => new Option(parameter ? `${title(name)} (${parameter.values[0]})` : title(name), name)));
  $('race-operation').value = 'slider_attacks';
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
      $('race-said').textContent = `Million boards per second, median of ${ROUNDS} rounds. Each kernel was first checked on ${engine.boards} random boards.`;
    } catch (error) {
      $('race-said').textContent = String(error.message ?? error);
      $('bars').replaceChildren();
    }
    $('race').disabled = false;
  });
}
