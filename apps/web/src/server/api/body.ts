import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { MAXIMA, pauses } from '@tilemark/core';
import type { MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { HttpProblem, problemOfZod } from '../problem';
import { turns } from '../turns';
import { Outline, type Part } from './outline';

/** A request as Node has it; empty where it came through Next. */
export interface NodeRequest {
  readonly incoming?: {
    iterator(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array>;
  };
  readonly outgoing?: Pick<NodeJS.EventEmitter, 'once' | 'off'> & {
    readonly destroyed: boolean;
    writeHead(status: number, headers: OutgoingHttpHeaders): { end(text: string): unknown };
  };
}

/** How a body may come. */
export interface BodyForm {
  readonly maxBytes: number;
  /** Where it may come as gzip: how large it may become. */
  readonly unpackedBytes?: number | undefined;
  /** A list of objects at its top that may be long, and the schema of one. */
  readonly list?: { readonly name: string; readonly item: z.ZodType } | undefined;
  /** Why a body does not belong here, asked before the entries of the list are looked at. */
  readonly misplaced?: ((body: unknown) => string | null) | undefined;
}

/** Longer bodies, and packed ones, are checked one by one, bytes: each takes a tenth of a second. */
const LONG_BYTES = 8_192;
const long = turns(1);

/**
 * Reads a JSON body for the validator. Answers 415 for another media type, 413 over a maximum,
 * 400 for broken JSON and for text that cannot be stored, 429 while bodies of others take the room
 * there is for them. What a body may contain is looked at while it arrives (outline.ts). The entries
 * of a long list are parsed and checked a few at a time, beside the validator, which is given the
 * list empty: they are `items` of the context. Whoever has the checked body calls `endTurn`, so that
 * what is done with one shares its transaction with others.
 */
export function jsonBody({
  list,
  maxBytes,
  misplaced,
  unpackedBytes,
}: BodyForm): MiddlewareHandler<{
  Bindings: NodeRequest;
  Variables: { items?: readonly unknown[]; endTurn?: () => void };
}> {
  return async (c, next) => {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') {
      throw new HttpProblem(415, 'Send the body as application/json.');
    }
    c.req.raw.headers.set('content-type', type);
    const isPacked = unpackedBytes !== undefined && c.req.header('content-encoding') === 'gzip';
    const outline = new Outline(list?.name);
    // What is left of a body that is refused is read later: else the next request of its connection,
    // which lies behind it, would never be answered.
    const source = c.env?.incoming?.iterator({ destroyOnReturn: false }) ?? c.req.raw.body;
    const room = new Room();
    let endTurn: (() => void) | undefined;
    try {
      const { headers } = c.req.raw;
      const sent = await received(source, headers, maxBytes, room, isPacked ? null : outline);
      if (isPacked || sent.length > LONG_BYTES) {
        endTurn = await long.next();
        c.set('endTurn', endTurn);
      }
      const bytes = isPacked ? await unpacked(sent, unpackedBytes) : sent;
      if (isPacked) outline.feed(bytes);
      const { inside } = outline;
      const body = parsed(
        inside ? Buffer.concat([bytes.subarray(0, inside[0]), bytes.subarray(inside[1])]) : bytes,
      );
      c.req.json = async <T>() => body as T;
      if (list && inside) {
        const why = misplaced?.(body);
        if (why) throw new HttpProblem(400, why);
        c.set('items', await items(bytes, outline.parts, list));
      }
      room.leave();
      await next();
    } finally {
      room.leave();
      endTurn?.();
    }
  };
}

/** For bodies that are being read, all together: two of the largest, bytes. */
const ROOM_BYTES = 2 * MAXIMA.bytes.import;
const COME_BACK_S = 5;
let takenBytes = 0;

/** What one body takes of the room for all. */
class Room {
  #bytes = 0;

  take(bytes: number): void {
    if (takenBytes + bytes > ROOM_BYTES) {
      throw new HttpProblem(
        429,
        `The site is reading as much as it can: try again in ${COME_BACK_S} s.`,
        undefined,
        COME_BACK_S,
      );
    }
    this.#bytes += bytes;
    takenBytes += bytes;
  }

  leave(): void {
    takenBytes -= this.#bytes;
    this.#bytes = 0;
  }
}

/** @param body straight from Node where it can be: a web stream around it costs more than the JSON */
async function received(
  body: AsyncIterable<Uint8Array> | null,
  headers: Headers,
  maxBytes: number,
  room: Room,
  outline: Outline | null,
): Promise<Buffer> {
  const tooLarge = () => new HttpProblem(413, `Send at most ${maxBytes / 1e6} MB.`);
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    room.take(chunk.length);
    outline?.feed(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The entries of a list, checked. Throws 400 at the first that is at fault. */
async function items(
  bytes: Buffer,
  parts: readonly Part[],
  { item, name }: NonNullable<BodyForm['list']>,
): Promise<unknown[]> {
  const checked: unknown[] = [];
  const pause = pauses();
  for (const [index, [start, end]] of parts.entries()) {
    const value = parsed(bytes.subarray(start, end));
    const { data, error } = item.safeParse(value);
    if (error) {
      const issues = error.issues.map((issue) => ({
        ...issue,
        path: [name, index, ...issue.path],
      }));
      throw problemOfZod(new z.ZodError(issues), { [name]: { [index]: value } });
    }
    checked.push(data);
    await pause();
  }
  return checked;
}

function parsed(sent: Buffer): unknown {
  try {
    const text = new TextDecoder().decode(sent);
    // What cannot be stored comes through escapes alone; a reviver makes parsing several times slower.
    return JSON.parse(text, /\\u|__proto__/.test(text) ? checkEntry : undefined);
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpProblem(400, `The body is not JSON: ${reason}`, 'body');
  }
}

const gunzipped = promisify(gunzip);

/** Unpacked at once: handing so little to another thread costs more than it takes. */
const LITTLE_BYTES = 2_048;
/** Each chunk is handed back by itself: of 16 kB, the largest body would be 250. */
const CHUNK_BYTES = 262_144;

async function unpacked(sent: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    const unpack = sent.length <= LITTLE_BYTES ? gunzipSync : gunzipped;
    return await unpack(sent, {
      maxOutputLength,
      ...(sent.length > LITTLE_BYTES && { chunkSize: CHUNK_BYTES }),
    });
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ERR_BUFFER_TOO_LARGE') {
      throw new HttpProblem(413, `Send at most ${maxOutputLength / 1e6} MB, unpacked.`);
    }
    throw new HttpProblem(400, 'The body is not gzip, or was cut off.', 'body');
  }
}

function checkEntry(key: string, value: unknown): unknown {
  checkName(key);
  if (typeof value === 'string') checkText(value, key);
  return value;
}

/** Throws 400 for text that Postgres cannot store: NUL, and halves of surrogate pairs. */
export function checkText(text: string, field: string): void {
  if (!text.includes('\0') && text.isWellFormed()) return;
  throw new HttpProblem(400, 'Text contains invalid characters.', printable(field));
}

/** As `checkText`, for the name of a field; `__proto__` would vanish on its way through objects. */
export function checkName(name: string): void {
  checkText(name, name);
  if (name === '__proto__') throw new HttpProblem(400, 'A field cannot have this name.', name);
}

const printable = (text: string) => text.toWellFormed().replaceAll('\0', '\uFFFD');
