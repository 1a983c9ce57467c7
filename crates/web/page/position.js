// Converts positions between an array of pieces by square, bitboards, and FEN's piece placement.

export const START = 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR';
export const EMPTY = '8/8/8/8/8/8/8/8';
export const EXAMPLE = '8/3p4/1k6/8/1P1R2p1/5K2/3p4/8';

export const squareName = (square) => 'abcdefgh'[square % 8] + (1 + (square >> 3));
export const squareNumber = (name) => name.charCodeAt(0) - 97 + 8 * (name.charCodeAt(1) - 49);

/** Parses a FEN to 64 squares from a1 to h8, each a FEN letter or ''. Throws on an invalid FEN. */
export function parse(fen) {
  const placement = fen.trim().split(/[\s_]+/)[0];
  const ranks = placement.split('/');
  if (ranks.length !== 8) throw new Error(`A FEN must have 8 ranks separated by “/”, found ${ranks.length}.`);
  const squares = Array(64).fill('');
  ranks.forEach((rank, row) => {
    let file = 0;
    for (const letter of rank) {
      const where = `Rank ${8 - row}, “${rank}”`;
      if (/[1-8]/.test(letter)) file += Number(letter);
      else if (/[pnbrqkPNBRQK]/.test(letter)) squares[8 * (7 - row) + file++] = letter;
      else throw new Error(`${where}: “${letter}” is not a piece or a number from 1 to 8.`);
      if (file > 8) throw new Error(`${where}: must have 8 squares, found more.`);
    }
    if (file < 8) throw new Error(`Rank ${8 - row}, “${rank}”: must have 8 squares, found ${file}.`);
  });
  return squares;
}

export function write(squares) {
  return [7, 6, 5, 4, 3, 2, 1, 0]
    .map((rank) => squares.slice(8 * rank, 8 * rank + 8).map((piece) => piece || '1').join('').replace(/1+/g, (ones) => ones.length))
    .join('/');
}

/** The bitboard of the squares whose piece is one of `letters`. */
export function set(squares, letters) {
  return squares.reduce((all, piece, square) => (piece && letters.includes(piece) ? all | (1n << BigInt(square)) : all), 0n);
}

/** The indices of the squares in a bitboard. */
export function members(bits) {
  const squares = [];
  for (let square = 0; square < 64; square++) if ((bits >> BigInt(square)) & 1n) squares.push(square);
  return squares;
}

export const ALL = (1n << 64n) - 1n;
