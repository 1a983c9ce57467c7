// node wasi.mjs PROGRAM.wasm [ARGUMENT...]: runs a WASI program with this process' environment; its exit code becomes ours.
import fs from 'node:fs';
import { WASI } from 'node:wasi';
const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), env: process.env, preopens: {}, returnOnExit: true });
const module = await WebAssembly.compile(fs.readFileSync(process.argv[2]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport }));
