import { MAXIMA } from '@tilemark/core';
import { HttpProblem } from '../problem';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const LAST_SPACE = 0x20;

/** From where to where an entry of the list stands, bytes of the body. */
export type Part = readonly [start: number, end: number];

/**
 * Follows JSON while its bytes arrive and makes nothing of it: parsing first would make gigabytes of
 * a few megabytes of `[]`. Throws for what is nested too deeply (400) or has too many values (413). Of one
 * list of the body, the parts are marked, so that each can be parsed by itself; each may then have
 * as many values. Text that is not JSON is left to the parser.
 */
export class Outline {
  /** The objects in the list `list`. */
  readonly parts: Part[] = [];
  /** Where the inside of the list begins and ends. */
  inside: Part | null = null;
  readonly #list: string | null;
  #at = 0;
  #depth = 0;
  #values = 1;
  #isText = false;
  #isEscaped = false;
  /** The text at depth 1 that was read last, in characters of a byte each; the list's key or not. */
  #key = '';
  #isListNext = false;
  #isInList = false;
  #start = 0;

  /** @param list name of a field at the top of the body */
  constructor(list: string | null = null) {
    this.#list = list;
  }

  feed(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] ?? 0;
      if (this.#isText) this.#inText(byte);
      else if (byte > LAST_SPACE) this.#outsideText(byte, this.#at + i);
    }
    this.#at += bytes.length;
  }

  #inText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) {
      this.#isText = false;
      return;
    }
    if (this.#depth === 1 && this.#key.length <= (this.#list?.length ?? -1)) {
      this.#key += String.fromCharCode(byte);
    }
  }

  #outsideText(byte: number, at: number): void {
    if (this.#isInList && this.#depth === 2) this.#between(byte);
    switch (byte) {
      case QUOTE:
        this.#isText = true;
        if (this.#depth === 1) this.#key = '';
        break;
      case COMMA:
        this.#count();
        if (this.#depth === 1) this.#isListNext = false;
        break;
      case COLON:
        if (this.#depth === 1) this.#isListNext = this.#key === this.#list;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        this.#open(byte, at);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        this.#close(at);
        break;
    }
  }

  /** In the list stand objects and nothing else. */
  #between(byte: number): void {
    if (byte === COMMA || byte === CLOSE_LIST || byte === OPEN_OBJECT) return;
    const field = `${this.#list}[${this.parts.length}]`;
    throw new HttpProblem(400, `${field} must be an object.`, field);
  }

  #open(byte: number, at: number): void {
    this.#count();
    this.#depth += 1;
    if (this.#depth > MAXIMA.depth) {
      throw new HttpProblem(400, `Nest lists and objects at most ${MAXIMA.depth} deep.`, 'body');
    }
    if (this.#depth === 2 && byte === OPEN_LIST && this.#isListNext) {
      if (this.inside) throw new HttpProblem(400, 'The field is there twice.', `${this.#list}`);
      this.#isInList = true;
      this.inside = [at + 1, at + 1];
    } else if (this.#depth === 3 && this.#isInList) {
      this.#start = at;
      this.#values = 1;
    }
  }

  #close(at: number): void {
    if (this.#isInList && this.#depth === 3) {
      this.parts.push([this.#start, at + 1]);
      if (this.parts.length > MAXIMA.results) {
        throw new HttpProblem(
          413,
          `${this.#list} must have at most ${MAXIMA.results} entries: send it in several files.`,
          `${this.#list}`,
        );
      }
    } else if (this.#isInList && this.#depth === 2) {
      this.#isInList = false;
      this.inside = [this.inside?.[0] ?? at, at];
    }
    this.#depth -= 1;
  }

  #count(): void {
    this.#values += 1;
    if (this.#values <= MAXIMA.values) return;
    throw new HttpProblem(
      413,
      `Send at most ${MAXIMA.values} values${this.#list ? ' in an entry' : ''}.`,
      'body',
    );
  }
}
