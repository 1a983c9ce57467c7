// Draws bitboards and writes them as text.

export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

export const hex = (bits) => '0x' + bits.toString(16).padStart(16, '0').replace(/(....)(?=.)/g, '$1_');

/** A bitboard as eight lines of 0 and 1, from rank 8 to rank 1, each from file a to file h. */
export function ranks(bits) {
  const rows = [];
  for (let rank = 7; rank >= 0; rank--) {
    const byte = (bits >> BigInt(8 * rank)) & 255n;
    rows.push([...byte.toString(2).padStart(8, '0')].reverse().join(''));
  }
  return rows.join('\n');
}

const LIGHT = 0x55aa55aa55aa55aan;
const has = (bits, square) => ((bits >> BigInt(square)) & 1n) === 1n;

/**
 * Draws a small board with the squares of `set` filled and the sliders and blockers marked. If
 * `before` is given, squares of `set` that are not in it get another colour. With `bits`, every
 * square shows 0 or 1.
 */
export function smallBoard(title, set, { sliders = 0n, occupied = 0n, before = 0n, bits = false, note = '' } = {}) {
  const cells = [];
  for (let row = 7; row >= 0; row--) {
    for (let file = 0; file < 8; file++) {
      const square = 8 * row + file;
      const names = ['cell', has(LIGHT, square) ? 'pale' : 'deep'];
      if (has(set, square)) names.push(before && !has(before, square) ? 'new' : 'on');
      if (has(sliders, square)) names.push('slider');
      else if (has(occupied, square)) names.push('blocker');
      cells.push(element('i', { className: names.join(' '), textContent: bits ? Number(has(set, square)) : '' }));
    }
  }
  const drawing = element('div', { className: bits ? 'cells bits' : 'cells' }, ...cells);
  drawing.setAttribute('aria-hidden', 'true');
  const caption = element('figcaption', {}, element('b', { textContent: title }), element('code', { textContent: hex(set) }), element('small', { textContent: note }));
  return element('figure', { className: 'small-board' }, drawing, caption);
}

/**
 * Draws eight words as registers. `owner(row, byte)` is the index of the board that a byte comes
 * from, which determines its colour. Row `lit` and the rows after it are dimmed.
 */
export function registers(title, words, owner, lit = 8) {
  const rows = words.map((word, row) => ({ word, row })).reverse().map(({ word, row }) => {
    const bytes = [];
    for (let byte = 0; byte < 8; byte++) {
      const cells = [];
      for (let bit = 0; bit < 8; bit++) cells.push(element('i', { className: has(word, 8 * byte + bit) ? 'on' : '' }));
      const drawn = element('span', { className: 'byte' }, ...cells);
      drawn.style.setProperty('--hue', 45 * owner(row, byte));
      bytes.push(drawn);
    }
    return element('div', { className: row < lit ? 'register' : 'register dim', title: hex(word) }, element('small', { textContent: row }), ...bytes);
  });
  const drawing = element('div', { className: 'registers' }, ...rows);
  drawing.setAttribute('aria-hidden', 'true');
  return element('figure', { className: 'block' }, element('figcaption', {}, element('b', { textContent: title })), drawing);
}
