// Loads the WebAssembly module, with vector instructions if the browser supports them.

// A minimal module that uses vectors: one function that returns a v128.
const VECTOR_MODULE = Uint8Array.of(
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, // "\0asm", version 1
  0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, // a type: () -> v128
  0x03, 0x02, 0x01, 0x00, // a function of this type
  0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b, // its code: i32.const 0, i8x16.splat
);

export const hasVectors = WebAssembly.validate(VECTOR_MODULE);

/** Loads the build `simd128`, or `plain` if that is requested or the browser lacks vectors. */
export async function load(requested) {
  const build = requested === 'plain' || !hasVectors ? 'plain' : 'simd128';
  const response = await fetch(`${build}.wasm`);
  if (!response.ok) throw new Error(`${build}.wasm: ${response.status} ${response.statusText}`);
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer());
  return new Engine(build, instance.exports);
}

/** The number of words per board in a list of inputs or outputs. */
const width = (inputsOrOutputs) => inputsOrOutputs.flatMap(({ words }) => words).length;

class Engine {
  constructor(build, module) {
    this.build = build;
    this.module = module;
    this.boards = module.boards();
    // `text` may grow the memory, which replaces `memory.buffer`, so call it first.
    const address = module.text();
    const text = new Uint8Array(module.memory.buffer, address, module.text_length());
    // Sets `active`, `kernels` and `operations`.
    Object.assign(this, JSON.parse(new TextDecoder().decode(text)));
    this.kernel = this.kernels.findIndex((kernel) => kernel.name === this.active);
  }

  operation(name) {
    return this.operations.find((operation) => operation.name === name);
  }

  number(name) {
    return this.operations.indexOf(this.operation(name));
  }

  /** A view of the first `words` words of the module's buffer. */
  buffer(words) {
    const address = this.module.buffer();
    return new BigUint64Array(this.module.memory.buffer, address, words);
  }

  /** The legal moves of a side, 0 or 1, as pairs of squares and a promotion, and the checks. */
  legalMoves(pieces, side) {
    this.buffer(12).set(pieces);
    const count = this.module.legal_moves(side);
    const [checks, ...moves] = this.buffer(1 + count);
    return { checks: Number(checks), moves: moves.map(Number) };
  }

  /**
   * Computes an operation. `words` holds the words of all inputs of the first board, then of the
   * second, and so on. Returns the words of the outputs in the same order.
   */
  evaluate(name, parameter, words, kernel = this.kernel) {
    const operation = this.operation(name);
    const [inputs, outputs] = [width(operation.inputs), width(operation.outputs)];
    const count = words.length / inputs;
    const results = new BigUint64Array(count * outputs);
    for (let from = 0; from < count; from += this.boards) {
      const boards = Math.min(this.boards, count - from);
      this.buffer(boards * inputs).set(words.slice(from * inputs, (from + boards) * inputs));
      this.module.load(this.number(name), parameter, boards);
      this.module.run(kernel, 1);
      this.module.results();
      results.set(this.buffer(boards * outputs), from * outputs);
    }
    return results;
  }

  /** The words of a technique's steps. `sliders` and `occupied` hold one word per board. */
  steps(technique, argument, sliders, occupied) {
    const buffer = this.buffer(16);
    buffer.set(sliders);
    buffer.set(occupied, 8);
    const count = this.module.steps(technique, argument);
    return [...this.buffer(count)];
  }
}
