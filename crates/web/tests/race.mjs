// Runs the page's race in Chromium and prints the nanoseconds per board: `race.mjs [OPERATION...]`.
// All rounds but the two fastest and the two slowest lie between `fast` and `slow`.

import { serve } from './serve.mjs';

const operations = process.argv.slice(2);
const served = await serve();
const page = await served.browser.newPage();
await page.goto(served.home);
await page.waitForSelector('html[data-ready]');
console.log(`Chromium ${served.browser.version()}`);
for (const operation of operations.length ? operations : ['rook_attacks', 'bishop_attacks', 'queen_attacks', 'slider_attacks']) {
  const found = await page.evaluate(async (operation) => {
    const { engine } = window.setwise;
    if (engine.operation(operation)?.byValue !== false) return undefined;
    const { race, verdict } = await import('./race.js');
    const found = await race(engine, operation, () => {});
    return { ...found, verdict: verdict(found) };
  }, operation);
  if (!found) {
    console.error(`race.mjs: there is no operation ${operation}`);
    process.exitCode = 2;
    break;
  }
  console.log(`\n${operation}, nanoseconds per board:\n${'kernel'.padEnd(12)} ${['fast', 'median', 'slow'].map((title) => title.padStart(8)).join('')}`);
  for (const { name, fast, speed, slow } of found.results) console.log(`${name.padEnd(12)} ${[fast, speed, slow].map((million) => (1000 / million).toFixed(2).padStart(8)).join('')}`);
  console.log(found.verdict);
}
await served.close();
