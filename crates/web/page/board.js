// The chess board: cm-chessboard with lit squares and a palette of pieces.

import { Chessboard, INPUT_EVENT_TYPE } from './cm-chessboard/src/Chessboard.js';
import { Accessibility } from './cm-chessboard/src/extensions/accessibility/Accessibility.js';
import { Extension, EXTENSION_POINT } from './cm-chessboard/src/model/Extension.js';
import { Svg } from './cm-chessboard/src/lib/Svg.js';
import { MOVE_CANCELED_REASON } from './cm-chessboard/src/view/VisualMoveInput.js';
import { members, squareName } from './position.js';

const PIECES = 'RNBQKPrnbqkp';
const NAMES = { r: 'rook', n: 'knight', b: 'bishop', q: 'queen', k: 'king', p: 'pawn' };
const widgetPiece = (letter) => (letter === letter.toUpperCase() ? 'w' : 'b') + letter.toLowerCase();

/** A cm-chessboard extension that draws lit squares under the pieces. */
class Lit extends Extension {
  constructor(chessboard) {
    super(chessboard);
    this.group = Svg.addElement(chessboard.view.markersLayer, 'g', { class: 'lit' });
    this.sets = [];
    this.registerExtensionPoint(EXTENSION_POINT.afterRedrawBoard, () => this.draw());
  }

  /**
   * Highlights sets of squares, each with its CSS class. `delay(square)` is the number of 45 ms
   * steps before a square lights up.
   */
  show(sets, delay) {
    this.sets = sets;
    this.draw(delay);
  }

  draw(delay) {
    this.group.replaceChildren();
    const { view } = this.chessboard;
    for (const { bits, name } of this.sets) {
      for (const square of members(bits)) {
        const point = view.squareToPoint(squareName(square));
        const margin = view.squareWidth * 0.04;
        Svg.addElement(this.group, 'rect', {
          x: point.x + margin, y: point.y + margin, rx: margin * 2,
          width: view.squareWidth - 2 * margin, height: view.squareHeight - 2 * margin,
          class: `light ${name}`, 'data-lit': squareName(square),
          style: delay ? `animation-delay: ${45 * delay(square)}ms` : 'animation: none',
        });
      }
    }
  }
}

export class Board {
  /**
   * Creates the board in `element`, with a palette of pieces. It calls `changed(fen, live)` for
   * each new position. `live` is true while a piece is dragged.
   */
  constructor(element, palette, fen, changed) {
    this.changed = changed;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.widget = new Chessboard(element, {
      position: fen,
      assetsUrl: './cm-chessboard/assets/',
      style: { cssClass: 'setwise', borderType: 'none', animationDuration: calm ? 0 : 150 },
      extensions: [
        { class: Lit },
        { class: Accessibility, props: { language: 'en', keyboardMoveInput: true, movePieceForm: false, piecesAsList: false } },
      ],
    });
    this.lit = this.widget.getExtension(Lit);
    this.lit.registerExtensionPoint(EXTENSION_POINT.positionChanged, () => this.changed(this.fen, false));
    this.widget.enableMoveInput((event) => this.moved(event));
    this.svg = element.querySelector('svg.cm-chessboard');
    this.svg.setAttribute('aria-label', 'Chess board. Arrow keys move, Enter picks up and puts down, letters add pieces, Delete removes them.');
    this.svg.addEventListener('keydown', (event) => this.key(event));
    this.makePalette(element, palette);
  }

  get fen() {
    return this.widget.getPosition();
  }

  set(fen) {
    return this.widget.setPosition(fen, true);
  }

  moved(event) {
    switch (event.type) {
      case INPUT_EVENT_TYPE.moveInputStarted:
        return !this.selected;
      case INPUT_EVENT_TYPE.validateMoveInput:
        return true;
      case INPUT_EVENT_TYPE.movingOverSquare: {
        const position = this.widget.state.position.clone();
        if (event.squareTo) position.movePiece(event.squareFrom, event.squareTo);
        this.changed(position.getFen(), true);
        break;
      }
      case INPUT_EVENT_TYPE.moveInputCanceled:
        if (event.reason === MOVE_CANCELED_REASON.movedOutOfBoard) this.widget.setPiece(event.squareFrom, null);
        else this.changed(this.fen, false);
        break;
    }
    return undefined;
  }

  put(square, letter) {
    this.widget.setPiece(square, letter ? widgetPiece(letter) : null);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keyboard = this.widget.getExtension(Accessibility).components.find((component) => component.getCurrentSquare);
    const letter = event.key.toLowerCase();
    if (event.key === 'Delete' || event.key === 'Backspace') this.put(keyboard.getCurrentSquare(), '');
    else if (NAMES[letter]) this.put(keyboard.getCurrentSquare(), event.shiftKey ? letter : letter.toUpperCase());
    else return;
    event.preventDefault();
    keyboard.announceCurrentSquare();
  }

  /**
   * Adds the palette. The user drags a piece to a square, or clicks a piece and then the squares to
   * put it on.
   */
  makePalette(element, palette) {
    const buttons = [...PIECES, ''].map((letter) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.dataset.piece = letter;
      button.setAttribute('aria-pressed', 'false');
      const name = letter && `${letter === letter.toUpperCase() ? 'white' : 'black'} ${NAMES[letter.toLowerCase()]}`;
      button.setAttribute('aria-label', letter ? `Add a ${name}` : 'Remove pieces');
      button.title = button.getAttribute('aria-label');
      button.innerHTML = letter
        ? `<svg viewBox="0 0 40 40" aria-hidden="true"><use href="#${widgetPiece(letter)}"></use></svg>`
        : '<svg viewBox="0 0 40 40" aria-hidden="true"><path d="M11 11 29 29M29 11 11 29" stroke="currentColor" stroke-width="4" stroke-linecap="round"/></svg>';
      button.addEventListener('pointerdown', () => {
        const drop = (event) => {
          const square = document.elementFromPoint(event.clientX, event.clientY)?.getAttribute('data-square');
          if (square) this.put(square, letter);
        };
        button.releasePointerCapture?.(1);
        addEventListener('pointerup', drop, { once: true });
        addEventListener('pointercancel', () => removeEventListener('pointerup', drop), { once: true });
      });
      button.addEventListener('click', () => {
        this.selected = button.getAttribute('aria-pressed') === 'false' ? { letter } : null;
        for (const other of buttons) other.setAttribute('aria-pressed', String(other === button && Boolean(this.selected)));
        element.classList.toggle('putting', Boolean(this.selected));
      });
      return button;
    });
    palette.append(...buttons);
    element.addEventListener('click', (event) => {
      const square = event.target.getAttribute('data-square');
      if (this.selected && square) this.put(square, this.selected.letter);
    });
  }
}
