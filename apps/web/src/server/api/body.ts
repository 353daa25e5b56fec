import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { MAXIMA, pauses } from '@tilemark/core';
import { z } from 'zod';
import { HttpProblem, problemOfZod } from '../problem';
import { turns } from '../turns';
import { BOUNDS, received, type Source } from './received';

const JSON_TYPE = 'application/json';
export const NDJSON = 'application/x-ndjson';

/** What a body may be. */
interface BodyForm {
  readonly schema: z.ZodType;
  readonly maxBytes: number;
  /** It may come as gzip, and is at most this large unpacked. */
  readonly maxUnpackedBytes?: number | undefined;
  /** It comes as NDJSON: a line of all but the list of this name, then a line per entry of the list. */
  readonly lines?: string | undefined;
}

/** Longer bodies, and packed ones, are checked one by one, bytes: each takes a tenth of a second. */
const LONG_BYTES = 8_192;
const long = turns(1);

/**
 * A JSON body, checked. Throws 415 for another media type, 413 over a maximum, 400 for what is not JSON,
 * cannot be stored or does not fit its schema, 408 for a body that arrives too slowly, 429 for a long
 * one while others take the room there is.
 */
export async function jsonBody(source: Source, form: BodyForm, bounds = BOUNDS): Promise<unknown> {
  const { headers } = source.raw;
  const { lines, maxBytes, maxUnpackedBytes, schema } = form;
  checkType(headers, lines ? NDJSON : JSON_TYPE);
  const isPacked = maxUnpackedBytes && headers.get('content-encoding') === 'gzip';
  return received(source, maxBytes, bounds, async (sent) => {
    const check = async () => {
      const bytes = isPacked ? await unpacked(sent, maxUnpackedBytes) : sent;
      return lines ? ofLines(bytes, schema, lines) : checked(schema, parsed(bytes));
    };
    if (!isPacked && sent.length <= LONG_BYTES) return check();
    const endTurn = await long.next();
    return check().finally(endTurn);
  });
}

/** The fields of a form that a page has sent. */
export async function formBody(source: Source, maxBytes: number): Promise<URLSearchParams> {
  checkType(source.raw.headers, 'application/x-www-form-urlencoded');
  return received(source, maxBytes, BOUNDS, (sent) => new URLSearchParams(sent.toString()));
}

function checkType(headers: Headers, taken: string): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== taken) throw new HttpProblem(415, `Send the body as ${taken}.`);
}

/** A body of lines, a few at a time. Throws for the first line that is at fault, and names it. */
async function ofLines(bytes: Buffer, schema: z.ZodType, name: string): Promise<unknown> {
  const entry = entryOf(schema, name);
  const entries: unknown[] = [];
  let head: object | null = null;
  const pause = pauses();
  for (const [number, line] of linesOf(bytes)) {
    const at = entries.length;
    const value = inLine(number, () => parsed(line));
    if (!head) {
      if (!isObject(value) || name in value) {
        const rule = `an object without ${name}, each of which follows on a line of its own`;
        throw new HttpProblem(400, `Line ${number} must be ${rule}.`, name);
      }
      head = inLine(number, () => checked(schema, { ...value, [name]: [] })) as object;
      continue;
    }
    if (at === MAXIMA.results) {
      const rule = `${name} must have at most ${MAXIMA.results} entries`;
      throw new HttpProblem(413, `${rule}: send them in several files.`, name);
    }
    entries.push(inLine(number, () => checked(entry, value, [name, at])));
    await pause();
  }
  return { ...(head ?? (checked(schema, {}) as object)), [name]: entries };
}

/** The schema of the entries of a list in a body. */
export function entryOf(schema: z.ZodType, name: string): z.ZodType {
  const list: unknown = schema instanceof z.ZodObject ? schema.shape[name] : undefined;
  if (!(list instanceof z.ZodArray)) throw new TypeError(`${name} is no list of the body`);
  return list.element as z.ZodType;
}

/** Lines that are not empty, with their numbers from 1. */
function* linesOf(bytes: Buffer): Generator<[number: number, line: Buffer]> {
  for (let [at, number] = [0, 1]; at < bytes.length; number++) {
    const end = bytes.indexOf('\n', at);
    const line = bytes.subarray(at, end < 0 ? bytes.length : end);
    if (line.length > 1) yield [number, line];
    at += line.length + 1;
  }
}

function inLine<T>(number: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    throw new HttpProblem(error.status, `Line ${number}: ${error.message}`, error.field);
  }
}

/** What a schema makes of a value, which stands at `path` of the body. */
export function checked<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: readonly (string | number)[] = [],
): T {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const issues = error.issues.map((issue) => ({ ...issue, path: [...path, ...issue.path] }));
  const input = path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
  throw problemOfZod(new z.ZodError(issues), input);
}

/** JSON of at most the bytes, depth and values that anything sent has, and of text that can be stored. */
function parsed(sent: Buffer): unknown {
  const most = MAXIMA.bytes.outcome.unpacked;
  if (sent.length > most) throw new HttpProblem(413, `Send at most ${most / 1e6} MB.`, 'body');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(sent));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpProblem(400, `The body is not JSON: ${reason}`, 'body');
  }
  let level = isObject(value) ? [value] : [];
  for (let [depth, values] = [0, 1]; level.length > 0; depth++) {
    if (depth === MAXIMA.depth) {
      throw new HttpProblem(400, `Nest lists and objects at most ${MAXIMA.depth} deep.`, 'body');
    }
    const inner: object[] = [];
    for (const each of level) {
      for (const [name, part] of Object.entries(each)) {
        if (++values > MAXIMA.values) {
          throw new HttpProblem(413, `Send at most ${MAXIMA.values} values at once.`, 'body');
        }
        checkName(name);
        if (typeof part === 'string') checkText(part, name);
        else if (isObject(part)) inner.push(part);
      }
    }
    level = inner;
  }
  return value;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const gunzipped = promisify(gunzip);
/** Unpacked at once: handing so little to another thread costs more than it takes. */
const LITTLE_BYTES = 2_048;
/** Each chunk is handed back by itself: of 16 kB, the largest body would be 250. */
const CHUNK_BYTES = 262_144;

async function unpacked(sent: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    return sent.length <= LITTLE_BYTES
      ? gunzipSync(sent, { maxOutputLength })
      : await gunzipped(sent, { maxOutputLength, chunkSize: CHUNK_BYTES });
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ERR_BUFFER_TOO_LARGE') {
      throw new HttpProblem(413, `Send at most ${maxOutputLength / 1e6} MB, unpacked.`);
    }
    throw new HttpProblem(400, 'The body is not gzip, or was cut off.', 'body');
  }
}

/** Throws 400 for text that Postgres cannot store: NUL, and halves of surrogate pairs. */
export function checkText(text: string, field: string): void {
  if (!text.includes('\0') && text.isWellFormed()) return;
  const name = field.toWellFormed().replaceAll('\0', '\uFFFD');
  throw new HttpProblem(400, 'Text contains invalid characters.', name);
}

/** As `checkText`, for the name of a field; `__proto__` would vanish on its way through objects. */
export function checkName(name: string): void {
  checkText(name, name);
  if (name === '__proto__') throw new HttpProblem(400, 'A field cannot have this name.', name);
}
