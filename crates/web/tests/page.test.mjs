// Tests the page in a browser. The expected results come from `native oracle`.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { DIST, serve } from './serve.mjs';

const SCREENS = new URL('../target/screens/', import.meta.url).pathname;
const BUILDS = ['simd128', 'plain'];
const LIMIT = 600_000; // maximum bytes that the page may load, without the image of the pieces

// --- helpers -------------------------------------------------------------------------------------

/** A SplitMix64 generator of random words, which are the same in every run. */
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

function native(command, input) {
  const run = spawnSync(process.env.NATIVE, command, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.split('\n').slice(0, -1);
}

const words = (text) => (text ? text.split(' ').map((word) => BigInt(`0x${word}`)) : []);

/** The expected results for a list of lines `operation parameter inputs...`. */
function oracle(lines) {
  const results = native(['oracle'], lines.join('\n'));
  assert.equal(results.length, lines.length);
  return results.map(words);
}

const question = (name, parameter, ...inputs) => [name, parameter, ...inputs.map((word) => word.toString(16))].join(' ');
const answer = (...asked) => oracle([question(...asked)])[0];

const squareName = (square) => 'abcdefgh'[square % 8] + (1 + Math.floor(square / 8));
const names = (bits) => Array.from({ length: 64 }, (_, square) => square).filter((square) => (bits >> BigInt(square)) & 1n).map(squareName).sort();

/** The FEN for an array of pieces by square, written without the page's code. */
function fen(pieces) {
  const ranks = [];
  for (let rank = 7; rank >= 0; rank--) {
    const letters = pieces.slice(8 * rank, 8 * rank + 8).map((piece) => piece || ' ').join('');
    ranks.push(letters.replace(/ +/g, ({ length }) => length));
  }
  return ranks.join('/');
}

const sets = (pieces, letters) => pieces.reduce((all, piece, square) => (piece && letters.includes(piece) ? all | (1n << BigInt(square)) : all), 0n);

// --- browser -------------------------------------------------------------------------------------

let served;
before(async () => {
  served = await serve();
});
after(() => served?.close());

/** The pages of a test. Each is closed after the test, and must have had no trouble. */
const opened = [];
afterEach(async () => {
  const trouble = opened.flatMap((page) => page.trouble);
  for (const { context } of opened.splice(0)) await context.close();
  assert.deepEqual(trouble, []);
});

/** Opens the page. `trouble` collects console warnings, errors and failed requests. */
async function open(address = '', options = {}, init) {
  const context = await served.browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const trouble = [];
  opened.push({ context, trouble });
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && trouble.push(message.text()));
  page.on('pageerror', (error) => trouble.push(String(error)));
  page.on('requestfailed', (request) => trouble.push(`failed: ${request.url()}`));
  const requests = [];
  page.on('response', (response) => requests.push(response.url()));
  if (init) await page.addInitScript(init);
  await page.goto(served.home + address);
  const ready = page.waitForSelector('html[data-ready]');
  const failed = new Promise((_, reject) => page.once('pageerror', reject));
  await Promise.race([ready, failed]);
  await page.waitForSelector('#cm-chessboard-sprite svg', { state: 'attached' });
  return { page, requests, trouble };
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

// --- tests ---------------------------------------------------------------------------------------

/** Makes the server offer test boards and results for all operations. Returns their paths. */
function prepareBoards(count) {
  const lines = native(['boards', String(count)]);
  const results = oracle(lines);
  const file = (rows) => Buffer.from(new BigUint64Array(rows.flat()).buffer);
  const paths = [];
  for (let from = 0; from < lines.length; from += count) {
    const path = lines[from].split(' ', 2).join('/');
    served.extra.set(`/boards/${path}/in`, file(lines.slice(from, from + count).map((line) => words(line.split(' ').slice(2).join(' ')))));
    served.extra.set(`/boards/${path}/out`, file(results.slice(from, from + count)));
    paths.push(path);
  }
  return paths;
}
let paths;

for (const build of BUILDS) {
  describe(build, () => {
    test('lists the legal moves of the shown position', async () => {
      const { page } = await open(`#build=${build}`);
      const shows = (text) => page.waitForFunction((wanted) => document.querySelector('#legal').textContent === wanted, text);
      const moves = () => page.textContent('#moves');
      await shows('White to move: 9 moves, in check.');
      await setFen(page, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR');
      await shows('White to move: 20 moves.');
      assert.equal((await moves()).split(' ').slice(0, 3).join(' '), 'a2a3 a2a4 b1a3');
      await setFen(page, '4k3/8/8/8/8/8/8/R3K2R');
      await shows('White to move: 26 moves.');
      assert.match(await moves(), /e1c1 e1d1 e1d2 e1e2 e1f1 e1f2 e1g1/);
      await setFen(page, '7k/5Q2/6K1/8/8/8/8/8');
      await page.selectOption('#side', 'b');
      await shows('Black to move: stalemate.');
      await setFen(page, '6Qk/8/6K1/8/8/8/8/8');
      await shows('Black to move: 1 move, in check.');
      await setFen(page, '7k/6Q1/6K1/8/8/8/8/8');
      await shows('Black to move: checkmate.');
      await setFen(page, '8/8/8/8/8/8/8/8');
      await shows('Each side needs one king.');
    });

    test('loads without errors, is small, and sends no further requests', async () => {
      const { page, requests } = await open(`#build=${build}`);
      assert.match(await page.textContent('#kernel'), build === 'plain' ? /Kernel (scalar|portable), build without vector/ : /Kernel simd128, build with vector/);
      assert.deepEqual(await lit(page), ['b4', 'c4', 'd2', 'd3', 'd5', 'd6', 'd7', 'e4', 'f4', 'g4']);
      const loaded = requests.filter((url) => url.startsWith('http')).map((url) => join(DIST, new URL(url).pathname.replace(/^\/$/, 'index.html')));
      const size = loaded.filter((path) => !path.includes('pieces')).reduce((sum, path) => sum + statSync(path).size, 0);
      console.log(`${build}: ${size} bytes without the pieces, ${loaded.length} files`);
      requests.length = 0;
      await page.click('#start');
      await page.selectOption('#game', '3');
      await page.selectOption('#technique', { label: 'Rank slices' });
      await page.click('#next');
      assert.deepEqual(requests, []);
      assert.ok(size < LIMIT, `${size} bytes`);
    });

    test('every kernel equals the oracle on 10,000 random boards', async () => {
      const { page } = await open(`#build=${build}`);
      paths ??= prepareBoards(10_000);
      const { kernels, compared, wrong } = await page.evaluate(async (paths) => {
        const { engine } = window.setwise;
        const file = async (path) => new BigUint64Array(await (await fetch(`boards/${path}`)).arrayBuffer());
        const wrong = [];
        let compared = 0;
        for (const path of paths) {
          const [name, parameter] = path.split('/');
          const [inputs, right] = [await file(`${path}/in`), await file(`${path}/out`)];
          engine.kernels.forEach((kernel, number) => {
            const results = engine.evaluate(name, Number(parameter), inputs, number);
            const at = results.findIndex((word, i) => word !== right[i]);
            compared += results.length;
            if (results.length !== right.length) wrong.push(`${kernel.name} ${path}: ${results.length} words, must be ${right.length}`);
            if (at >= 0) wrong.push(`${kernel.name} ${path} at ${at}: ${results[at].toString(16)}, must be ${right[at].toString(16)}`);
          });
        }
        return { kernels: engine.kernels.map((kernel) => kernel.name), compared, wrong };
      }, paths);
      console.log(`${build}: ${paths.length} operations with parameters, kernels ${kernels.join(' ')}, ${compared} words compared`);
      assert.deepEqual(wrong, []);
      assert.ok(paths.length > 30 && compared >= 10_000 * paths.length * kernels.length);
      assert.equal(kernels.includes('simd128'), build === 'simd128');
    });

    const count = 50;
    test(`a dragged rook lights its attacks, in ${count} random positions`, async () => {
      const { page } = await open(`#build=${build}&show=rook_attacks&of=w`);
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
        await fenIs(page, fen(pieces)); // the pieces are drawn a frame later
        await page.waitForSelector(`#board .pieces [data-piece=wr][data-square=${squareName(from)}]`, { state: 'attached' });
        const [start, end] = [middle(from), middle(to)];
        await page.mouse.move(...start);
        await page.mouse.down();
        await page.mouse.move(start[0] + 9, start[1] + 9);
        await page.mouse.move(...end);
        const live = await lit(page); // while the rook is held over the square
        await page.mouse.up();
        pieces[to] = 'R';
        pieces[from] = '';
        const [placement, lights, shown] = await page.evaluate(() => [
          document.querySelector('#fen').value,
          [...document.querySelectorAll('[data-lit]')].map((square) => square.dataset.lit).sort(),
          document.querySelector('#bitboards .out summary code').textContent,
        ]);
        assert.equal(placement, fen(pieces));
        cases.push({ pieces, live, lit: lights, shown });
      }
      const answers = oracle(cases.map(({ pieces }) => question('rook_attacks', 0, sets(pieces, 'R'), sets(pieces, 'pnbrqkPNBRQK'))));
      cases.forEach(({ pieces, live, lit, shown }, i) => {
        assert.deepEqual(lit, names(answers[i][0]), fen(pieces));
        assert.deepEqual(live, lit, `while held: ${fen(pieces)}`);
        assert.equal(BigInt(shown.replaceAll('_', '')), answers[i][0]);
      });
    });
  });
}

test('a browser without vectors loads the build without them', async () => {
  const { page, requests } = await open('', {}, () => { WebAssembly.validate = () => false; });
  assert.equal(await page.getAttribute('html', 'data-ready'), 'plain');
  assert.ok(!requests.some((url) => url.includes('simd128')));
});

test('the address has the position and the operation; an invalid FEN is explained', async () => {
  const { page } = await open('#fen=4r1k1/8/8/b7/8/2N5/3PP3/4K2R_w_K_-_0_1&show=pins&of=w');
  assert.equal(await page.inputValue('#fen'), '4r1k1/8/8/b7/8/2N5/3PP3/4K2R');
  assert.deepEqual(await lit(page), ['e2', 'e8']);
  await page.selectOption('#operation', { label: 'ray attacks' });
  await page.selectOption('#choice', { label: 'north-west' });
  const link = await page.evaluate(() => location.href);
  const second = await open(link.slice(served.home.length));
  assert.equal(await second.page.textContent('#said'), await page.textContent('#said'));
  assert.match(await second.page.textContent('#said'), /north-west/);
  for (const [wrong, message] of [['8/8/8', /8 ranks.*found 3/], ['8/8/8/8/4x3/8/8/8', /Rank 4.*“x”/], ['8/8/8/8/8/8/8/9', /Rank 1.*“9”/], ['8/8/8/8/8/8/8/R6', /Rank 1.*8 squares, found 7/], ['8/8/8/8/8/8/8/R8', /Rank 1.*8 squares, found more/]]) {
    await setFen(page, wrong);
    assert.match(await page.textContent('#fen-error'), message);
    assert.deepEqual((await page.evaluate(() => window.setwise.state.fen)), '4r1k1/8/8/b7/8/2N5/3PP3/4K2R');
  }
});

test('47 games by name and move', async () => {
  const { page } = await open();
  assert.equal(await page.locator('#game option').count(), 1 + 47);
  await page.selectOption('#game', { label: 'Adolf Anderssen – Lionel Kieseritzky, London 1851' });
  await page.selectOption('#ply', { label: '23. Be7#' });
  // The final mate of the Immortal Game.
  await fenIs(page, 'r1bk3r/p2pBpNp/n4n2/1p1NP2P/6P1/3P4/P1P1K3/q5b1');
  await page.click('#back');
  await fenIs(page, 'r1bk3r/p2p1pNp/n2B1n2/1p1NP2P/6P1/3P4/P1P1K3/q5b1');
  await page.click('#start');
  await fenIs(page, 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR');
});

test('every offered operation lights its results', async () => {
  const { page } = await open('#fen=r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R');
  const titles = await page.locator('#operation option').allTextContents();
  for (const title of ['attack maps', 'checks', 'knight attacks', 'king attacks', 'pawn attacks', 'x-ray queen attacks']) assert.ok(titles.includes(title), titles.join());
  assert.ok(titles.length >= 16 && !titles.some((title) => /one|from|mobility/.test(title)), titles.join());
  const operations = await page.evaluate(() => window.setwise.engine.operations);
  for (const title of titles) {
    for (const side of ['w', 'b']) {
      await page.selectOption('#side', side);
      await page.selectOption('#operation', { label: title });
      const name = /show=(\w+)/.exec(page.url())[1];
      const inputs = await page.$$eval('#bitboards .in summary code', (all) => all.map((code) => code.textContent.replaceAll('_', '')));
      const { parameter, outputs } = operations.find((operation) => operation.name === name);
      const results = answer(name, parameter?.name === 'side' && side === 'b' ? 1 : 0, ...inputs.map(BigInt));
      const outputNames = outputs.flatMap((output) => output.words);
      assert.equal(results.length, outputNames.length);
      const shown = await page.$$eval('#bitboards .out', (rows) => rows.map((row) => [row.dataset.name, row.querySelector('summary code').textContent.replaceAll('_', ''), row.classList.contains('lit')]));
      let all = 0n;
      for (const [output, hex, isLit] of shown) {
        assert.equal(BigInt(hex), results[outputNames.indexOf(output)], `${title} ${side} ${output}`);
        if (isLit) all |= BigInt(hex);
      }
      assert.ok(shown.length > 0);
      assert.deepEqual([...new Set(await lit(page))], names(all), `${title} ${side}`);
    }
  }
});

test('the roles of inputs take the right pieces', async () => {
  const { page } = await open('#fen=3rk3/1b1q4/2n3p1/3N4/1P3R2/2B5/Q6P/4K2R');
  const occupied = ['a2', 'b4', 'b7', 'c3', 'c6', 'd5', 'd7', 'd8', 'e1', 'e8', 'f4', 'g6', 'h1', 'h2'];
  const expected = {
    rook_attacks: { w: [['f4', 'h1'], occupied], b: [['d8'], occupied] },
    slider_attacks: { w: [['a2', 'f4', 'h1'], ['a2', 'c3'], occupied], b: [['d7', 'd8'], ['b7', 'd7'], occupied] },
    pins: { w: [['e1'], ['a2', 'b4', 'c3', 'd5', 'e1', 'f4', 'h1', 'h2'], ['d7', 'd8'], ['b7', 'd7'], occupied] },
    ray_attacks: { b: [['d7', 'd8'], occupied] }, // to the north, so without the bishop
    knight_attacks: { w: [['d5']], b: [['c6']] },
    king_attacks: { w: [['e1']], b: [['e8']] },
    pawn_attacks: { w: [['b4', 'h2']], b: [['g6']] },
  };
  for (const [name, sides] of Object.entries(expected)) {
    for (const [side, inputs] of Object.entries(sides)) {
      const number = await page.evaluate((name) => [...document.querySelector('#operation').options].find(({ text }) => text.replaceAll(' ', '_') === name).value, name);
      await page.selectOption('#side', side);
      await page.selectOption('#operation', number);
      const shown = await page.$$eval('#bitboards .in summary code', (all) => all.map((code) => code.textContent.replaceAll('_', '')));
      assert.deepEqual(shown.map((hex) => names(BigInt(hex))), inputs, `${name} ${side}`);
    }
  }
});

test('techniques step forward and back, and end with the attacks', async () => {
  const { page } = await open('#fen=3r4/1p1k2p1/8/2R1p3/1p1Q2B1/8/3P1K2/R6b');
  const code = () => page.locator('#step-boards code').last().textContent();
  const end = async () => {
    await page.press('#step', 'End');
    assert.ok(await page.isDisabled('#next'));
    return BigInt((await code()).replaceAll('_', ''));
  };
  const pieces = await page.evaluate(() => window.setwise.state.squares);
  const [rooks, bishops] = [sets(pieces, 'RQ'), sets(pieces, 'BQ')];
  const [sliders, occupied] = [rooks | bishops, sets(pieces, 'pnbrqkPNBRQK')];
  const numbers = (bits) => names(bits).map((name) => name.charCodeAt(0) - 97 + 8 * (name[1] - 1));
  const choose = (label) => page.selectOption('#technique', { label });
  for (const technique of ['Dumb7Fill', 'Kogge-Stone']) {
    await choose(technique);
    for (let direction = 0; direction < 8; direction++) {
      await page.selectOption('#towards', String(direction));
      assert.equal(await end(), answer('ray_attacks', direction, direction % 2 ? bishops : rooks, occupied)[0]);
    }
  }
  await page.selectOption('#technique', { label: 'Dumb7Fill' });
  // The flood north-west starts on bishops and queens, the flood north on rooks and queens.
  assert.equal(BigInt((await page.locator('#step-boards code').first().textContent()).replaceAll('_', '')), bishops);
  await page.selectOption('#towards', { label: 'north' });
  assert.equal(BigInt((await page.locator('#step-boards code').first().textContent()).replaceAll('_', '')), rooks);
  for (const technique of ['Adder', 'Borrow: one subtraction', 'Borrow: byte by byte']) {
    await choose(technique);
    assert.equal(await end(), answer('ray_attacks', 2, rooks, occupied)[0]);
  }
  for (const technique of ['Hyperbola: two boards', 'Switch']) {
    await choose(technique);
    for (let line = 0; line < 4; line++) {
      await page.selectOption('#line', String(line));
      const offered = numbers(line < 2 ? rooks : bishops);
      assert.deepEqual((await page.locator('#square option').evaluateAll((options) => options.map(({ value }) => Number(value)))), offered.sort((a, b) => a - b));
      for (const square of offered) {
        await page.selectOption('#square', String(square));
        assert.equal(await end(), answer('line_attacks_from', line, BigInt(square), occupied)[0]);
      }
    }
  }
  for (const technique of ['VPPERM', 'Rays of a mailbox']) {
    await choose(technique);
    assert.ok(await page.isHidden('#line'));
    for (const square of numbers(sliders)) {
      await page.selectOption('#square', String(square));
      assert.equal(await end(), answer('queen_attacks_from', 0, BigInt(square), occupied)[0]);
    }
  }
  await choose('Four views');
  assert.equal(await end(), answer('rook_attacks', 0, rooks, occupied)[0]);
  await choose('Rank slices');
  while (await page.isEnabled('#next')) await page.click('#next');
  const first = page.locator('#step-boards code').first();
  assert.equal(BigInt((await first.textContent()).replaceAll('_', '')), answer('queen_attacks', 0, sliders, occupied)[0]);
  const steps = [];
  while (await page.isEnabled('#previous')) {
    steps.push(await page.textContent('#step-number'));
    await page.click('#previous');
  }
  assert.equal(steps.length, 13);
  assert.equal(await page.textContent('#step-number'), '1 of 14');
});

test('the switch shows the tests of e5, as in the source of the technique', async () => {
  const { page } = await open('#fen=8/6p1/8/4B3/8/2p5/1p6/8');
  const shown = async () => {
    const steps = await page.evaluate(() => window.setwise.stepper.steps.map(({ text }) => text));
    return steps.slice(1, -1).map((text) => text.replace(/^The (ray to higher squares|opposite ray), /, ''));
  };
  await page.selectOption('#technique', { label: 'Switch' });
  await page.selectOption('#line', '2');
  assert.deepEqual(await shown(), [
    'test 1: is f6 occupied? No: go on to the next square.',
    'test 2: is g7 occupied? Yes: the constant is 0x0040_2000_0000_0000.',
    'test 1: is d4 occupied? No: go on to the next square.',
    'test 2: is c3 occupied? Yes: the constant is 0x0000_0000_0804_0000.',
  ]);
  await setFen(page, '8/8/8/4B3/8/8/8/8');
  await fenIs(page, '8/8/8/4B3/8/8/8/8');
  const free = await shown();
  assert.equal(free.length, 7);
  assert.match(free[2], /0x8040_2000_0000_0000/);
  assert.match(free[6], /0x0000_0000_0804_0201/);
});

test('the page says which sliders are missing, what set-wise means and what colours mean', async () => {
  const { page } = await open('#fen=8/8/3p4/8/1B6/8/8/8&of=w&show=bishop_attacks');
  const text = (id) => page.textContent(id);
  assert.match(await text('#idea'), /White has no rook or queen on this board\.$/);
  await page.selectOption('#towards', { label: 'north-east' });
  assert.ok(!(await text('#idea')).includes('has no'));
  assert.equal((await text('.why')).match(/\.( |$)/g).length, 3);
  const legend = (id) => page.$$eval(`${id} li`, (items) => items.map(({ textContent }) => textContent));
  assert.deepEqual(await legend('#legend'), ['attacks, empty square', 'attacks, occupied square']);
  // The samples in the legend have the colours of the lit squares.
  const fills = (selector) => page.$$eval(selector, (all) => [...new Set(all.map((one) => getComputedStyle(one).fill))].sort());
  assert.deepEqual(await fills('#legend .light'), await fills('#board .light'));
  assert.deepEqual(await legend('#step-legend'), ['in the set', 'slider', 'other piece']);
  await page.click('#next');
  assert.deepEqual(await legend('#step-legend'), ['in the set', 'new in this step', 'slider', 'other piece']);
  await page.selectOption('#technique', { label: 'Rank slices' });
  await page.click('#next');
  assert.deepEqual(await legend('#step-legend'), ['a byte; its colour is that of the board it comes from', 'a square in the set']);
  await page.selectOption('#operation', { label: 'pins' });
  assert.deepEqual(await legend('#legend'), ['pinned, empty square', 'pinned, occupied square', 'pinners']);
});

test('buttons that would change nothing are disabled', async () => {
  const { page } = await open();
  const disabled = () => page.$$eval('button:disabled', (buttons) => buttons.map(({ id }) => id).sort());
  const rest = ['back', 'first', 'forth', 'previous', 'set'];
  assert.deepEqual(await disabled(), [...rest, 'example'].sort());
  await page.click('#start');
  await page.waitForSelector('#start:disabled');
  assert.deepEqual(await disabled(), [...rest, 'start'].sort());
  await page.click('#clear');
  await page.waitForSelector('#clear:disabled');
  await page.fill('#fen', '8/8/8/8/8/8/8/x7');
  await page.click('#set');
  assert.match(await page.textContent('#fen-error'), /Rank 1/);
  await page.fill('#fen', '8/8/8/8/8/8/8/8');
  assert.ok(await page.isDisabled('#set'));
  assert.equal(await page.textContent('#fen-error'), '');
  await page.selectOption('#game', '3');
  assert.deepEqual(await disabled(), ['first', 'previous', 'set']);
  await page.selectOption('#ply', '0');
  assert.ok(await page.isDisabled('#back') && await page.isEnabled('#forth'));
  await page.press('#ply', 'End');
  assert.ok(await page.isEnabled('#back') && await page.isDisabled('#forth'));
  await page.selectOption('#game', '');
  assert.ok(await page.isDisabled('#back') && await page.isDisabled('#forth'));
  // Disabled buttons are paler than the others.
  const opacity = (id) => page.$eval(id, (button) => Number(getComputedStyle(button).opacity));
  assert.ok(await opacity('#back') < 0.6 && await opacity('#start') === 1);
});

test('the page works without a network after the first visit', async () => {
  const visited = await open();
  await visited.page.evaluate(() => navigator.serviceWorker.ready);
  const blocked = await open('', { serviceWorkers: 'block' });
  served.down = true;
  try {
    // Check the test itself: without the service worker, the page must not load.
    await assert.rejects(blocked.page.goto(`${served.home}?again`), /ERR_/);
    for (const build of BUILDS) {
      await visited.page.goto(`${served.home}?again=${build}#build=${build}`);
      await visited.page.waitForSelector(`html[data-ready=${build}]`);
      assert.equal((await lit(visited.page)).length, 10);
      await visited.page.waitForSelector('#cm-chessboard-sprite svg', { state: 'attached' });
    }
    await visited.page.goto(`${served.home}licences.txt`);
    assert.match(await visited.page.textContent('body'), /cm-chessboard/);
  } finally {
    served.down = false;
    // Its requests were meant to fail.
    for (const { trouble } of [visited, blocked]) trouble.length = 0;
  }
});

test('the race alternates, and distinguishes noise from a difference', async () => {
  const { page } = await open();
  const run = (costs) => page.evaluate(async (costs) => {
    const { race, verdict } = await import('./race.js');
    // A fake module: each kernel takes the milliseconds in `costs`, and the noise varies by call.
    let [now, calls] = [0, 0];
    const order = [];
    const module = {
      randomize() {},
      first_wrong: () => -1,
      run(kernel, passes) {
        order.push(kernel);
        const { time, noise } = costs[kernel];
        now += passes * time * (1 + noise[calls++ % noise.length]);
      },
    };
    const engine = { module, boards: 1000, number: () => 0, kernels: costs.map((_, kernel) => ({ name: `k${kernel}`, description: '' })) };
    const found = await race(engine, 'any', () => {}, () => now);
    const rounds = found.results[0].samples.length;
    return { ...found, rounds, order: order.slice(-costs.length * rounds), said: verdict(found) };
  }, costs);
  const quiet = [0, 0.01, 0.02];
  const clear = await run([{ time: 2, noise: quiet }, { time: 1, noise: quiet }, { time: 4, noise: quiet }]);
  assert.deepEqual(clear.results.map(({ name }) => name), ['k1', 'k0', 'k2']);
  const [first] = clear.results;
  assert.ok(first.slow <= first.speed && first.speed <= first.fast, JSON.stringify(first));
  assert.ok(Math.abs(first.fast - 1) < 0.01 && Math.abs(first.slow - 1 / 1.02) < 0.01, JSON.stringify(first));
  assert.equal(clear.said, `k1 was faster than k0 in ${clear.rounds} of ${clear.rounds} rounds.`);
  // Each kernel runs once per round, in each place about equally often, and at least once after
  // every other kernel.
  for (const kernels of [2, 3, 6]) {
    const { order, rounds } = await run(Array(kernels).fill({ time: 1, noise: quiet }));
    for (let kernel = 0; kernel < kernels; kernel++) {
      const counts = Array(kernels).fill(0);
      order.forEach((other, i) => { counts[i % kernels] += other === kernel; });
      assert.equal(counts.reduce((sum, count) => sum + count), rounds);
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 2, counts.join());
    }
  }
  const pairs = new Set(clear.order.flatMap((kernel, i) => (i % 3 ? [`${clear.order[i - 1]} ${kernel}`] : [])));
  assert.equal(pairs.size, 6);
  const even = await run([{ time: 1, noise: quiet }, { time: 1, noise: quiet }]);
  assert.match(even.said, / rounds, so neither clearly wins\.$/);
  const busy = [0, 0.01, 0.9, 0.02, 0.3];
  const noisy = await run([{ time: 1, noise: busy }, { time: 3, noise: busy }]);
  assert.match(noisy.said, /^k0 was faster than k1 in .* Your machine is busy: /);
});

test('the race checks every kernel and shows a bar for each', async () => {
  const { page } = await open();
  await page.click('#race');
  await page.waitForFunction(() => /first checked/.test(document.querySelector('#race-said').textContent));
  const count = await page.evaluate(() => window.setwise.engine.kernels.length);
  assert.equal(await page.locator('.racer').count(), count);
  for (const text of await page.locator('.racer span').allTextContents()) assert.ok(Number(text) > 0, text);
  const bars = await page.$$eval('.racer', (rows) => rows.map((row) => {
    const box = (name) => row.querySelector(name).getBoundingClientRect();
    return { end: box('.bar').right, from: box('.spread').left, to: box('.spread').right, text: row.querySelector('small').textContent };
  }));
  for (const { end, from, to, text } of bars) {
    assert.ok(from <= end + 1 && end <= to + 1, `the median is not within the spread: ${from} ${end} ${to}`);
    assert.match(text, /^[\d.]+ to [\d.]+$/);
  }
  assert.match(await page.textContent('#race-said'), /was faster than .* in \d+ of 21 rounds/);
  // The check must detect outputs that were not computed.
  const found = await page.evaluate(() => {
    const { engine: { module } } = window.setwise;
    module.randomize(0, 0, 1n);
    const before = module.first_wrong();
    module.run(0, 1);
    return [before, module.first_wrong()];
  });
  assert.deepEqual(found, [0, -1]);
  // The race must also work for another operation.
  await page.selectOption('#race-operation', 'pawn_attacks');
  await page.click('#race');
  await page.waitForFunction(() => /first checked/.test(document.querySelector('#race-said').textContent));
  assert.equal(await page.locator('.racer').count(), count);
});

test('by keyboard alone', async () => {
  const { page } = await open('#show=rook_attacks&of=w&fen=8/8/8/8/8/8/8/R7');
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.getAttribute('class') || '');
  const tabTo = async (wanted) => {
    for (let i = 0; i < 60; i++) {
      if ((await focused()).includes(wanted)) return;
      await page.keyboard.press('Tab');
    }
    assert.fail(`Tab does not reach ${wanted}`);
  };
  await tabTo('cm-chessboard');
  await page.keyboard.press('Enter'); // picks up the rook on a1
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowRight');
  for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter'); // puts it down on d5
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
});

test('pieces are added from the palette, dragged off the board, and moved by touch', async () => {
  const { page } = await open('#fen=8/8/8/8/8/8/8/8', { hasTouch: true });
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
  await page.click('[data-piece=""]'); // nothing is selected any more
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
});

/** Elements that reach beyond the window's right edge. */
const beyond = (page) => page.evaluate(() => [...document.querySelectorAll('body *')]
  .filter((element) => !element.closest('.visually-hidden, .skip, #cm-chessboard-sprite, svg *') && element.getBoundingClientRect().right > innerWidth + 0.5)
  .map((element) => `${element.tagName}.${element.className}#${element.id}`));

/** The board is square, within the window's width and height, and not small without need. */
async function boardFits(page, message) {
  const fits = () => {
    const board = document.querySelector('#board').getBoundingClientRect();
    const drawn = document.querySelector('#board svg.cm-chessboard').getBoundingClientRect();
    const column = document.querySelector('#board').parentElement.getBoundingClientRect().width;
    const most = Math.min(column, innerHeight);
    return board.height <= innerHeight && board.right <= innerWidth
      && Math.abs(board.width - board.height) < 2 && Math.abs(drawn.width - board.width) < 2 && Math.abs(drawn.height - board.height) < 2
      && board.width > 0.85 * most;
  };
  // The board is drawn again some time after the window has changed.
  await page.waitForFunction(fits, null, { timeout: 5000 }).catch(async () => {
    const sizes = await page.evaluate(() => ['#board', '#board svg.cm-chessboard'].map((name) => JSON.stringify(document.querySelector(name).getBoundingClientRect())));
    assert.fail(`${message}: ${sizes}`);
  });
}

test('the board follows a window that changes, and a phone that is turned', async () => {
  const { page } = await open('', { viewport: { width: 1280, height: 900 } });
  for (const [width, height] of [[1280, 900], [1000, 900], [881, 900], [844, 390], [390, 844], [320, 480], [844, 390], [1280, 300], [1280, 900]]) {
    await page.setViewportSize({ width, height });
    await boardFits(page, `${width} x ${height}`);
    assert.deepEqual(await beyond(page), [], `${width} x ${height}`);
  }
});

test('a small window shows the board first, and sideways the controls beside it', async () => {
  for (const [width, height, isBeside] of [[844, 390, true], [390, 844, false], [320, 640, false], [1280, 900, true]]) {
    const { page } = await open('', { viewport: { width, height } });
    const [board, text, choice] = await page.evaluate(() => ['#board', '.why', 'fieldset select'].map((name) => document.querySelector(name).getBoundingClientRect().toJSON()));
    const message = `${width} x ${height}: ${JSON.stringify([board, text, choice])}`;
    assert.ok(board.top < 190, message);
    assert.equal(text.top > board.bottom, width < 880, message);
    assert.equal(choice.left > board.right && choice.top < board.bottom, isBeside, message);
  }
});

test('nothing overflows on phones and desktops, in both themes', async () => {
  const grounds = new Set();
  for (const [width, height] of [[320, 860], [390, 860], [844, 390], [1280, 860]]) {
    for (const colorScheme of ['light', 'dark']) {
      const { page } = await open('', { viewport: { width, height }, colorScheme });
      await boardFits(page, `${width} x ${height}`);
      grounds.add(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor));
      const techniques = await page.locator('#technique option').count();
      assert.equal(techniques, 11);
      for (let technique = 0; technique < techniques; technique++) {
        await page.selectOption('#technique', String(technique));
        await page.evaluate(() => window.setwise.stepper.go(window.setwise.stepper.steps.length >> 1));
        assert.deepEqual(await beyond(page), [], `${width} ${colorScheme} technique ${technique}`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      }
      await page.evaluate(() => window.setwise.stepper.go(2));
      await page.screenshot({ path: join(SCREENS, `${width}-${colorScheme}.png`), fullPage: true });
    }
  }
  assert.equal(grounds.size, 2);
});

test('the folder has all licences, and only the board from npm', () => {
  const licences = readFileSync(join(DIST, 'licences.txt'), 'utf8');
  for (const text of ['Copyright (c) 2017 Stefan Haack', 'CC BY-SA 3.0', 'MIT OR Apache-2.0']) assert.ok(licences.includes(text), text);
  const files = readdirSync(DIST, { recursive: true }).filter((name) => statSync(join(DIST, name)).isFile());
  assert.ok(files.includes('cm-chessboard/LICENSE'));
  assert.ok(!files.some((name) => name.includes('node_modules')));
});
