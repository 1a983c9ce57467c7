// Serves the page and opens it in Chromium.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

export const DIST = new URL('../dist/', import.meta.url).pathname;
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm', '.svg': 'image/svg+xml', '.txt': 'text/plain' };

/**
 * Starts a server and a browser. The caller may add further files to `extra`, by path. If the
 * caller sets `down`, the server closes every connection without an answer.
 */
export async function serve() {
  // Start the browser first: if it fails, a running server would keep the process alive.
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  const served = { browser, extra: new Map(), down: false };
  const server = createServer((request, response) => {
    if (served.down) return request.destroy();
    const path = new URL(request.url, 'http://localhost').pathname;
    try {
      const body = served.extra.get(path) ?? readFileSync(join(DIST, path === '/' ? 'index.html' : path));
      return response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? (path === '/' ? 'text/html' : 'application/octet-stream') }).end(body);
    } catch {
      return response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  served.home = `http://127.0.0.1:${server.address().port}/`;
  served.close = async () => {
    await browser.close();
    server.close();
  };
  return served;
}
