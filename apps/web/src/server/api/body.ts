import type { OutgoingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import type { MiddlewareHandler } from 'hono';
import { HttpProblem } from '../problem';

/** A request as Node has it; empty where it came through Next. */
export interface NodeRequest {
  readonly incoming?: AsyncIterable<Uint8Array>;
  readonly outgoing?: Pick<NodeJS.EventEmitter, 'once' | 'off'> & {
    readonly destroyed: boolean;
    writeHead(status: number, headers: OutgoingHttpHeaders): { end(text: string): unknown };
  };
}

/**
 * Reads a JSON body for the validator. Answers 415 for another media type, 413 over the limit,
 * 400 for broken JSON and for text that cannot be stored.
 *
 * @param unpackedBytes where bodies may come as gzip: how large one may become
 */
export function jsonBody(
  maxBytes: number,
  unpackedBytes?: number,
): MiddlewareHandler<{ Bindings: NodeRequest }> {
  return async (c, next) => {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'application/json') {
      throw new HttpProblem(415, 'Send the body as application/json.');
    }
    c.req.raw.headers.set('content-type', type);
    const isPacked = unpackedBytes !== undefined && c.req.header('content-encoding') === 'gzip';
    const sent = await received(c.env?.incoming ?? c.req.raw.body, c.req.raw.headers, maxBytes);
    const body = parsed(isPacked ? await unpacked(sent, unpackedBytes) : sent);
    c.req.json = async <T>() => body as T;
    await next();
  };
}

/** @param body straight from Node where it can be: a web stream around it costs more than the JSON */
async function received(
  body: AsyncIterable<Uint8Array> | null,
  headers: Headers,
  maxBytes: number,
): Promise<Buffer> {
  const tooLarge = () => new HttpProblem(413, `Send at most ${maxBytes / 1e6} MB.`);
  if (Number(headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
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
const LITTLE_BYTES = 16_384;

async function unpacked(sent: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    const unpack = sent.length <= LITTLE_BYTES ? gunzipSync : gunzipped;
    return await unpack(sent, { maxOutputLength });
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
