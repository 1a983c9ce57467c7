// The page in a browser, by what one can do there, against the crate on this CPU (`native answer`).

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chromium } from 'playwright-core';

const DIST = new URL('../dist/', import.meta.url).pathname;
const SCREENS = new URL('../target/screens/', import.meta.url).pathname;
const BUILDS = ['simd128', 'plain'];
const LIMIT = 400_000; // bytes that a visitor loads, without the pieces
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.txt': 'text/plain' };

// --- help ------------------------------------------------------------------------------------------------------------

/** Random words, the same in every run (SplitMix64). */
function generator(seed) {
  let state = BigInt(seed);
  return () => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let z = state;
    z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    return z ^ (z >> 31n);
  };
}

/** Answers of the crate on this CPU: rows of words for rows of `name index inputs...`. */
function native(questions) {
  const input = questions.map(([name, index, ...words]) => `${name} ${index} ${words.map((word) => word.toString(16)).join(' ')}\n`).join('');
  const run = spawnSync(process.env.NATIVE, ['answer'], { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  assert.equal(run.status, 0, run.stderr);
  const lines = run.stdout.split('\n').slice(0, -1);
  assert.equal(lines.length, questions.length);
  return lines.map((line) => line.split(' ').map((word) => BigInt(`0x${word}`)));
}

const squareName = (square) => 'abcdefgh'[square % 8] + (1 + Math.floor(square / 8));
const names = (bits) => Array.from({ length: 64 }, (_, square) => square).filter((square) => (bits >> BigInt(square)) & 1n).map(squareName).sort();

/** FEN of pieces by square; written apart from the page's own. */
function fen(pieces) {
  let text = '';
  for (let rank = 7; rank >= 0; rank--) {
    let empty = 0;
    for (let file = 0; file < 8; file++) {
      const piece = pieces[8 * rank + file];
      if (piece) {
        text += (empty || '') + piece;
        empty = 0;
      } else empty++;
    }
    text += (empty || '') + (rank ? '/' : '');
  }
  return text;
}

const sets = (pieces, letters) => pieces.reduce((all, piece, square) => (piece && letters.includes(piece) ? all | (1n << BigInt(square)) : all), 0n);

// --- server and browser ----------------------------------------------------------------------------------------------

const extra = new Map(); // what tests serve besides the page
const server = createServer((request, response) => {
  const path = new URL(request.url, 'http://localhost').pathname;
  try {
    const body = extra.get(path) ?? readFileSync(join(DIST, path === '/' ? 'index.html' : path));
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? (path === '/' ? 'text/html' : 'application/octet-stream') }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
let browser;
let home;

before(async () => {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  home = `http://127.0.0.1:${server.address().port}/`;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
});
after(async () => {
  await browser?.close();
  server.close();
});

/** The page, loaded; `trouble` collects whatever the console or the network complains of. */
async function open(address = '', options = {}, init) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const trouble = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  page.on('requestfailed', (request) => trouble.push(`failed: ${request.url()}`));
  const requests = [];
  page.on('response', (response) => requests.push(response.url()));
  if (init) await page.addInitScript(init);
  await page.goto(home + address);
  await page.waitForSelector('html[data-ready]');
  await page.waitForSelector('#cm-chessboard-sprite svg', { state: 'attached' });
  return { page, trouble, requests, close: () => context.close() };
}

const lit = (page) => page.$$eval('[data-lit]', (squares) => squares.map((square) => square.dataset.lit).sort());
const square = (page, name) => page.locator(`#board .board [data-square=${name}]`);
async function middle(page, name) {
  const box = await square(page, name).boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}
const fenIs = (page, wanted) => page.waitForFunction((text) => document.querySelector('#fen').value === text, wanted);
async function setFen(page, text) {
  await page.fill('#fen', text);
  await page.press('#fen', 'Enter');
}

// --- tests -----------------------------------------------------------------------------------------------------------

/** Every operation in every direction, on random inputs, with native's answers: as files that the page fetches. */
function prepareQuestions(engine, count) {
  const random = generator(1);
  const questions = [];
  const asked = [];
  for (const { name, indices, inputs, outputs } of engine.operations) {
    for (let index = 0; index < Math.max(1, indices.length); index++) {
      const from = questions.length;
      for (let i = 0; i < count; i++) {
        const words = inputs.map(([, type], input) => {
          if (type === 'Square') return random() & 63n;
          // From empty to full boards: sliders few, other sets more.
          return [random() & random() & random(), random() & random(), random(), random() | random(), 0n][input === 0 ? (i % 40 ? 0 : 4) : i % 4];
        });
        questions.push([name, index, ...words]);
      }
      asked.push({ name, index, from, inputs: inputs.length, outputs: outputs.length });
    }
  }
  const answers = native(questions);
  const file = (column) => Buffer.from(new BigUint64Array(column).buffer);
  for (const { from, inputs, outputs, name, index } of asked) {
    const rows = questions.slice(from, from + count);
    for (let i = 0; i < inputs; i++) extra.set(`/questions/${name}/${index}/in/${i}`, file(rows.map((row) => row[2 + i])));
    for (let i = 0; i < outputs; i++) extra.set(`/questions/${name}/${index}/out/${i}`, file(answers.slice(from, from + count).map((row) => row[i])));
  }
  return asked;
}
let questions;

for (const build of BUILDS) {
  describe(build, () => {
    test('loads without complaint, is small, and asks for nothing afterwards', async () => {
      const { page, trouble, requests, close } = await open(`#build=${build}`);
      assert.match(await page.textContent('#kernel'), build === 'plain' ? /Kernel (scalar|portable), build without vectors/ : /Kernel simd128, build with vectors/);
      assert.deepEqual(await lit(page), ['b4', 'c4', 'd2', 'd3', 'd5', 'd6', 'd7', 'e4', 'f4', 'g4']);
      const loaded = requests.filter((url) => url.startsWith('http')).map((url) => join(DIST, new URL(url).pathname.replace(/^\/$/, 'index.html')));
      const size = loaded.filter((path) => !path.includes('pieces')).reduce((sum, path) => sum + statSync(path).size, 0);
      console.log(`${build}: ${size} bytes without the pieces, ${loaded.length} files`);
      assert.ok(size < LIMIT, `${size} bytes`);
      requests.length = 0;
      await page.click('#start');
      await page.selectOption('#game', '3');
      await page.selectOption('#technique', '5');
      await page.click('#next');
      assert.deepEqual(requests, []);
      assert.deepEqual(trouble, []);
      await close();
    });

    test('every kernel equals native on 10,000 random positions', async () => {
      const { page, close } = await open(`#build=${build}`);
      questions ??= prepareQuestions(await page.evaluate(() => ({ operations: window.setwise.engine.operations })), 10_000);
      const { kernels, compared, wrong } = await page.evaluate(async (asked) => {
        const { engine } = window.setwise;
        const column = async (path) => new BigUint64Array(await (await fetch(`questions/${path}`)).arrayBuffer());
        const wrong = [];
        let compared = 0;
        for (const { name, index, inputs, outputs } of asked) {
          const given = await Promise.all(Array.from({ length: inputs }, (_, i) => column(`${name}/${index}/in/${i}`)));
          const right = await Promise.all(Array.from({ length: outputs }, (_, i) => column(`${name}/${index}/out/${i}`)));
          engine.kernels.forEach((kernel, number) => {
            engine.evaluate(name, index, given, number).forEach((results, output) => {
              const at = results.findIndex((word, i) => word !== right[output][i]);
              compared += results.length;
              if (at >= 0) wrong.push(`${kernel.name} ${name} ${index} at ${at}: ${results[at].toString(16)}, not ${right[output][at].toString(16)}`);
            });
          });
        }
        return { kernels: engine.kernels.map((kernel) => kernel.name), compared, wrong };
      }, questions);
      console.log(`${build}: ${questions.length} operations and directions, kernels ${kernels.join(' ')}, ${compared} words compared`);
      assert.deepEqual(wrong, []);
      assert.ok(questions.length > 30 && compared >= 10_000 * questions.length * kernels.length);
      assert.equal(kernels.includes('simd128'), build === 'simd128');
      await close();
    });

    const count = 200;
    test(`a dragged rook lights what native says, in ${count} random positions`, async () => {
      const { page, trouble, close } = await open(`#build=${build}&show=rook_attacks&of=w`);
      const random = generator(2);
      const number = (below) => Number(random() % BigInt(below));
      const cases = [];
      const box = await page.locator('#board svg.cm-chessboard').boundingBox();
      const middle = (square) => [box.x + (box.width / 8) * (square % 8 + 0.5), box.y + (box.height / 8) * (7.5 - Math.floor(square / 8))];
      for (let i = 0; i < count; i++) {
        const pieces = Array(64).fill('');
        for (let k = 3 + number(25); k > 0; k--) pieces[number(64)] = 'PNBRQKpnbrqk'[number(12)];
        const from = number(64);
        const to = (from + 1 + number(63)) % 64;
        pieces[from] = 'R';
        await setFen(page, fen(pieces));
        await fenIs(page, fen(pieces)); // and a frame later the pieces are drawn
        await page.waitForSelector(`#board .pieces [data-piece=wr][data-square=${squareName(from)}]`, { state: 'attached' });
        const [start, end] = [middle(from), middle(to)];
        await page.mouse.move(...start);
        await page.mouse.down();
        await page.mouse.move(start[0] + 9, start[1] + 9);
        await page.mouse.move(...end);
        const live = await lit(page); // while it is held over the square
        await page.mouse.up();
        pieces[to] = 'R';
        pieces[from] = '';
        const [there, lights, shown] = await page.evaluate(() => [
          document.querySelector('#fen').value,
          [...document.querySelectorAll('[data-lit]')].map((square) => square.dataset.lit).sort(),
          document.querySelector('#bitboards .out summary code').textContent,
        ]);
        assert.equal(there, fen(pieces));
        cases.push({ pieces, live, lit: lights, shown });
      }
      const answers = native(cases.map(({ pieces }) => ['rook_attacks', 0, sets(pieces, 'R'), sets(pieces, 'pnbrqkPNBRQK')]));
      cases.forEach(({ pieces, live, lit, shown }, i) => {
        assert.deepEqual(lit, names(answers[i][0]), fen(pieces));
        assert.deepEqual(live, lit, `while held: ${fen(pieces)}`);
        assert.equal(BigInt(shown.replaceAll('_', '')), answers[i][0]);
      });
      assert.deepEqual(trouble, []);
      await close();
    });
  });
}

test('where the browser has no vectors, the build without them is loaded', async () => {
  const { page, requests, close } = await open('', {}, () => { WebAssembly.validate = () => false; });
  assert.equal(await page.getAttribute('html', 'data-ready'), 'plain');
  assert.ok(!requests.some((url) => url.includes('simd128')));
  await close();
});

test('the address carries the position and what is shown; a wrong FEN is refused in words', async () => {
  const { page, trouble, close } = await open('#fen=4r1k1/8/8/b7/8/2N5/3PP3/4K2R_w_K_-_0_1&show=pins&of=w');
  assert.equal(await page.inputValue('#fen'), '4r1k1/8/8/b7/8/2N5/3PP3/4K2R');
  assert.deepEqual(await lit(page), ['e2', 'e8']);
  await page.selectOption('#operation', { label: 'rays in one direction' });
  await page.selectOption('#index', { label: 'north-west' });
  const link = await page.evaluate(() => location.href);
  const second = await open(link.slice(home.length));
  assert.equal(await second.page.textContent('#said'), await page.textContent('#said'));
  assert.match(await second.page.textContent('#said'), /north-west/);
  await second.close();
  for (const [wrong, words] of [['8/8/8', /8 ranks.*3/], ['8/8/8/8/4x3/8/8/8', /Rank 4.*“x”/], ['8/8/8/8/8/8/8/9', /Rank 1.*“9”/], ['8/8/8/8/8/8/8/R6', /Rank 1.*7 squares/], ['8/8/8/8/8/8/8/R8', /Rank 1.*more than 8/]]) {
    await setFen(page, wrong);
    assert.match(await page.textContent('#fen-error'), words);
    assert.deepEqual((await page.evaluate(() => window.setwise.state.fen)), '4r1k1/8/8/b7/8/2N5/3PP3/4K2R');
  }
  assert.deepEqual(trouble, []);
  await close();
});

test('47 games by name and move', async () => {
  const { page, close } = await open();
  assert.equal(await page.locator('#game option').count(), 1 + 47);
  await page.selectOption('#game', { label: 'Adolf Anderssen – Lionel Kieseritzky, London 1851' });
  await page.selectOption('#ply', { label: '23. Be7#' });
  await fenIs(page, 'r1bk3r/p2pBpNp/n4n2/1p1NP2P/6P1/3P4/P1P1K3/q5b1'); // a mate that every book has
  await page.click('#back');
  await fenIs(page, 'r1bk3r/p2p1pNp/n2B1n2/1p1NP2P/6P1/3P4/P1P1K3/q5b1');
  await page.click('#start');
  await fenIs(page, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR');
  await close();
});

test('every operation that is offered lights what native says', async () => {
  const { page, close } = await open('#fen=r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R');
  const titles = await page.locator('#operation option').allTextContents();
  assert.ok(titles.length >= 12 && titles.includes('attack map of all pieces') && titles.includes('checks'), titles.join());
  const operations = await page.evaluate(() => window.setwise.engine.operations);
  for (const title of titles) {
    for (const side of ['w', 'b']) {
      await page.selectOption('#side', side);
      await page.selectOption('#operation', { label: title });
      const name = /show=(\w+)/.exec(page.url())[1];
      const words = await page.$$eval('#bitboards .in summary code', (all) => all.map((code) => code.textContent.replaceAll('_', '')));
      const { outputs } = operations.find((operation) => operation.name === name);
      const [answer] = native([[name, 0, ...words.map(BigInt)]]);
      assert.equal(answer.length, outputs.length);
      const shown = await page.$$eval('#bitboards .out', (rows) => rows.map((row) => [row.dataset.name, row.querySelector('summary code').textContent.replaceAll('_', ''), row.classList.contains('shining')]));
      let all = 0n;
      for (const [output, hex, shines] of shown) {
        assert.equal(BigInt(hex), answer[outputs.findIndex(([name]) => name === output)], `${title} ${side} ${output}`);
        if (shines) all |= BigInt(hex);
      }
      assert.ok(shown.length > 0);
      assert.deepEqual([...new Set(await lit(page))], names(all), `${title} ${side}`);
    }
  }
  await close();
});

test('techniques step forward and back, and end at the answer', async () => {
  const { page, trouble, close } = await open('#fen=3r4/1p1k2p1/8/2R1p3/1p1Q2B1/8/3P1K2/R6b');
  const code = () => page.locator('#step-boards code').last().textContent();
  const end = async () => {
    await page.press('#step', 'End');
    assert.ok(await page.isDisabled('#next'));
    return BigInt((await code()).replaceAll('_', ''));
  };
  const pieces = await page.evaluate(() => window.setwise.state.squares);
  const [sliders, occupied] = [sets(pieces, 'RBQ'), sets(pieces, 'pnbrqkPNBRQK')];
  for (const technique of ['0', '1']) {
    await page.selectOption('#technique', technique);
    for (let direction = 0; direction < 8; direction++) {
      await page.selectOption('#towards', String(direction));
      assert.equal(await end(), native([['ray_attacks', direction, sliders, occupied]])[0][0]);
    }
  }
  for (const technique of ['2', '3']) {
    await page.selectOption('#technique', technique);
    assert.equal(await end(), native([['ray_attacks', 2, sliders, occupied]])[0][0]);
  }
  await page.selectOption('#technique', '4');
  for (let line = 0; line < 4; line++) {
    await page.selectOption('#line', String(line));
    await page.selectOption('#square', '27');
    assert.equal(await end(), native([['line_attacks_from', line, 27n, occupied]])[0][0]);
  }
  await page.selectOption('#technique', '5');
  while (await page.isEnabled('#next')) await page.click('#next');
  const first = page.locator('#step-boards code').first();
  assert.equal(BigInt((await first.textContent()).replaceAll('_', '')), native([['queen_attacks', 0, sliders, occupied]])[0][0]);
  const steps = [];
  while (await page.isEnabled('#previous')) {
    steps.push(await page.textContent('#step-number'));
    await page.click('#previous');
  }
  assert.equal(steps.length, 13);
  assert.equal(await page.textContent('#step-number'), '1 of 14');
  assert.deepEqual(trouble, []);
  await close();
});

test('the race checks every kernel and shows a bar for each', async () => {
  const { page, trouble, close } = await open();
  await page.click('#race');
  await page.waitForFunction(() => /first checked/.test(document.querySelector('#race-said').textContent));
  const count = await page.evaluate(() => window.setwise.engine.kernels.length);
  assert.equal(await page.locator('.racer').count(), count);
  for (const text of await page.locator('.racer span').allTextContents()) assert.ok(Number(text) > 0, text);
  // The check is one: a wrong bit is found where it is.
  const found = await page.evaluate(() => {
    const { engine } = window.setwise;
    const operation = engine.operations.findIndex(({ name }) => name === 'slider_attacks');
    engine.module.evaluate(0, operation, 0, engine.boards, 1);
    const right = engine.module.check(engine.boards);
    engine.output(0)[1234] ^= 1n << 40n;
    return [right, engine.module.check(engine.boards)];
  });
  assert.deepEqual(found, [-1, 1234]);
  assert.deepEqual(trouble, []);
  await close();
});

test('by keyboard alone', async () => {
  const { page, trouble, close } = await open('#show=rook_attacks&of=w&fen=8/8/8/8/8/8/8/R7');
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute('class') || '');
  const tabTo = async (wanted) => {
    for (let i = 0; i < 60; i++) {
      if ((await focused()).includes(wanted)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${wanted}`);
  };
  await tabTo('cm-chessboard');
  await page.keyboard.press('Enter'); // a1: takes the rook
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter'); // d5
  await fenIs(page, '8/8/8/3R4/8/8/8/8');
  assert.equal((await lit(page)).length, 14);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+N');
  await fenIs(page, '8/8/8/3Rn3/8/8/8/8');
  assert.equal((await lit(page)).length, 11);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('q');
  await fenIs(page, '8/8/4Q3/3Rn3/8/8/8/8');
  await page.keyboard.press('Delete');
  await fenIs(page, '8/8/8/3Rn3/8/8/8/8');
  await tabTo('operation');
  const operation = await page.inputValue('#operation');
  await page.keyboard.press('ArrowDown');
  assert.notEqual(await page.inputValue('#operation'), operation);
  await tabTo('fen');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('8/8/8/8/8/8/8/Q7');
  await page.keyboard.press('Enter');
  await fenIs(page, '8/8/8/8/8/8/8/Q7');
  await tabTo('technique');
  await page.keyboard.press('ArrowDown');
  await tabTo('next');
  await page.keyboard.press('Space');
  assert.match(await page.textContent('#step-number'), /^2 of/);
  await tabTo('race');
  assert.deepEqual(trouble, []);
  await close();
});

test('pieces from the palette, dragged and clicked; off the board; by touch', async () => {
  const { page, trouble, close } = await open('#fen=8/8/8/8/8/8/8/8', { hasTouch: true });
  const piece = page.locator('[data-piece=Q]');
  await piece.scrollIntoViewIfNeeded();
  const box = await piece.boundingBox();
  await page.mouse.move(box.x + 9, box.y + 9);
  await page.mouse.down();
  await page.mouse.move(...(await middle(page, 'c3')));
  await page.mouse.up();
  await fenIs(page, '8/8/8/8/8/2Q5/8/8');
  await page.click('[data-piece=n]');
  await page.mouse.click(...(await middle(page, 'h8')));
  await page.mouse.click(...(await middle(page, 'c3')));
  await fenIs(page, '7n/8/8/8/8/2n5/8/8');
  await page.click('[data-piece=""]');
  await page.mouse.click(...(await middle(page, 'h8')));
  await fenIs(page, '8/8/8/8/8/2n5/8/8');
  await page.click('[data-piece=""]'); // no piece is chosen any more
  await page.touchscreen.tap(...(await middle(page, 'c3')));
  await page.touchscreen.tap(...(await middle(page, 'd5')));
  await fenIs(page, '8/8/8/3n4/8/8/8/8');
  const [x, y] = await middle(page, 'd5');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 30, y + 30);
  await page.mouse.move(900, y);
  await page.mouse.up();
  await fenIs(page, '8/8/8/8/8/8/8/8');
  assert.deepEqual(trouble, []);
  await close();
});

test('nothing overflows on a phone and on a desk, in both themes', async () => {
  const grounds = new Set();
  for (const width of [320, 390, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      const { page, trouble, close } = await open('', { viewport: { width, height: 860 }, colorScheme });
      grounds.add(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor));
      for (let technique = 0; technique < 6; technique++) {
        await page.selectOption('#technique', String(technique));
        await page.evaluate(() => window.setwise.stepper.go(window.setwise.stepper.steps.length >> 1));
        const beyond = await page.evaluate(() => [...document.querySelectorAll('body *')]
          .filter((element) => !element.closest('.visually-hidden, .skip, #cm-chessboard-sprite, svg *') && element.getBoundingClientRect().right > innerWidth + 0.5)
          .map((element) => `${element.tagName}.${element.className}#${element.id}`));
        assert.deepEqual(beyond, [], `${width} ${colorScheme} technique ${technique}`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      }
      await page.evaluate(() => window.setwise.stepper.go(2));
      await page.screenshot({ path: join(SCREENS, `${width}-${colorScheme}.png`), fullPage: true });
      assert.deepEqual(trouble, []);
      await close();
    }
  }
  assert.equal(grounds.size, 2);
});

test('the folder has its licences, and nothing else from npm than the board', () => {
  const licences = readFileSync(join(DIST, 'licences.txt'), 'utf8');
  for (const text of ['Copyright (c) 2017 Stefan Haack', 'CC BY-SA 3.0', 'MIT OR Apache-2.0']) assert.ok(licences.includes(text), text);
  const files = readdirSync(DIST, { recursive: true }).filter((name) => statSync(join(DIST, name)).isFile());
  assert.ok(files.includes('cm-chessboard/LICENSE'));
  assert.ok(!files.some((name) => name.includes('node_modules')));
});
