// The crate as a WebAssembly module: with vectors where the browser has them.

// The smallest module that has a vector: one function that returns a v128.
const VECTOR_MODULE = Uint8Array.of(
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // "\0asm", version 1
  0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, // a type: () -> v128
  0x03, 0x02, 0x01, 0x00, // a function of it
  0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b, // its code: i32.const 0, i8x16.splat
);

export const hasVectors = WebAssembly.validate(VECTOR_MODULE);

/** Loads a build: `simd128` or `plain`; by default the best that this browser runs. */
export async function load(asked) {
  const build = asked === 'plain' || !hasVectors ? 'plain' : 'simd128';
  const response = await fetch(`${build}.wasm`);
  if (!response.ok) throw new Error(`${build}.wasm: ${response.status} ${response.statusText}`);
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer());
  return new Engine(build, instance.exports);
}

class Engine {
  constructor(build, module) {
    this.build = build;
    this.module = module;
    this.boards = module.boards();
    const length = module.describe();
    const text = new Uint8Array(module.memory.buffer, module.text(), length);
    Object.assign(this, JSON.parse(new TextDecoder().decode(text))); // active, kernels, operations
    this.kernel = this.kernels.findIndex((kernel) => kernel.name === this.active);
  }

  operation(name) {
    return this.operations.find((operation) => operation.name === name);
  }

  input(column) {
    return new BigUint64Array(this.module.memory.buffer, this.module.input(column), this.boards);
  }

  output(column) {
    return new BigUint64Array(this.module.memory.buffer, this.module.output(column), this.boards);
  }

  /** Evaluates an operation of columns: arrays of BigInt, of one length. Returns the columns of results. */
  evaluate(name, index, columns, kernel = this.kernel) {
    const operation = this.operation(name);
    const length = columns[0].length;
    const results = operation.outputs.map(() => new BigUint64Array(length));
    for (let from = 0; from < length; from += this.boards) {
      const count = Math.min(this.boards, length - from);
      columns.forEach((column, i) => this.input(i).set(column.slice(from, from + count)));
      this.module.evaluate(kernel, this.operations.indexOf(operation), index, count, 1);
      results.forEach((result, i) => result.set(this.output(i).subarray(0, count), from));
    }
    return results;
  }

  /** The words of a technique's steps. */
  steps(technique, argument, sliders, occupied) {
    this.input(0).set(sliders);
    this.input(1).set(occupied);
    const count = this.module.steps(technique, argument);
    return [...this.output(0).subarray(0, count)];
  }
}
