import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HttpProblem, problemResponse } from '../problem';

/**
 * Reads a JSON body for the validator. Answers 415 for another media type, 413 over the limit,
 * 400 for broken JSON and for text that cannot be stored.
 *
 * @param unpackedBytes where bodies may come as gzip: how large one may become
 */
export function jsonBody(maxBytes: number, unpackedBytes?: number): MiddlewareHandler[] {
  const tooLarge = () =>
    problemResponse(new HttpProblem(413, `Send at most ${maxBytes / 1e6} MB.`));
  return [
    async (c, next) => {
      const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
      if (type !== 'application/json') {
        throw new HttpProblem(415, 'Send the body as application/json.');
      }
      if (Number(c.req.header('content-length') ?? 0) > maxBytes) return tooLarge();
      // The limit counts what arrives only where no header promises a length.
      const headers = new Headers(c.req.raw.headers);
      headers.delete('content-length');
      headers.set('content-type', type);
      c.req.raw = new Request(c.req.raw, { headers });
      return next();
    },
    bodyLimit({ maxSize: maxBytes, onError: tooLarge }),
    async (c, next) => {
      const body = await parsed(c, unpackedBytes);
      c.req.json = async <T>() => body as T;
      await next();
    },
  ];
}

async function parsed(c: Context, unpackedBytes: number | undefined): Promise<unknown> {
  const isPacked = unpackedBytes !== undefined && c.req.header('content-encoding') === 'gzip';
  try {
    const text = isPacked ? await unpacked(c, unpackedBytes) : await c.req.text();
    return JSON.parse(text, checkEntry);
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new HttpProblem(400, `The body is not JSON: ${reason}`, 'body');
  }
}

const gunzipped = promisify(gunzip);

async function unpacked(c: Context, maxOutputLength: number): Promise<string> {
  try {
    return (await gunzipped(await c.req.arrayBuffer(), { maxOutputLength })).toString();
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
