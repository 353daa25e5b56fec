import {
  answerOf,
  type BestVariant,
  bestVariantSchema,
  NotAdmitted,
  type Profile,
  Refused,
  Site,
} from '@tilemark/core';
import { InputError, type Problem } from '@tilemark/kernels';
import type { z } from 'zod';

/** The address of a grid's site, and the caller's token. */
export interface GridOptions {
  readonly server: string;
  readonly token?: string;
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/**
 * A grid's address and token, checked; a token on plain http beyond this machine is warned of.
 *
 * @param badToken the error for what cannot be a token
 * @throws InputError
 */
export function siteOf<Token extends string | undefined>(
  { server, token }: { readonly server: string; readonly token?: Token },
  badToken = (message: string): Error => new InputError(message, '--token'),
): { server: URL; token: Token } {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new InputError(`'${server}' is not an http or https address`, '--server');
  }
  // Headers cannot carry anything else. The token itself is never printed.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw badToken('This is not a token. Copy all of it: tm_ and what follows, without spaces.');
  }
  if (token !== undefined && url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    process.stderr.write(
      `${url.origin} is plain http: everybody on the way there can read the token. Use https where the grid has it.\n`,
    );
  }
  return { server: url, token: token as Token };
}

const ANSWER_WITHIN_MS = 60_000;
/** Longest wait for an upload of a whole file, ms: 64 MB of results take a minute or two. */
const LONG_ANSWER_MS = 300_000;

/**
 * A client of a grid's API v1. Methods throw InputError for what the site refuses
 * (a token, a body, an id) and Error if it does not answer.
 */
export class GridClient {
  readonly #site: Site;

  constructor(options: GridOptions) {
    const { server, token } = siteOf(options);
    this.#site = new Site(server, token);
  }

  /** @param path below `/api/v1/`, with its query */
  async get<T>(path: string, answer: z.ZodType<T>): Promise<T> {
    return answerOf(await this.#send('GET', path), answer);
  }

  async text(path: string): Promise<string> {
    return (await this.#send('GET', path)).text();
  }

  async post<T>(
    path: string,
    answer: z.ZodType<T>,
    body?: unknown,
    withinMs = ANSWER_WITHIN_MS,
  ): Promise<T> {
    const sent = body === undefined ? {} : { type: 'application/json', text: JSON.stringify(body) };
    return answerOf(await this.#send('POST', path, sent, withinMs), answer);
  }

  /** Sends a long file as NDJSON. */
  async upload<T>(path: string, answer: z.ZodType<T>, text: string): Promise<T> {
    const sent = { type: 'application/x-ndjson', text };
    return answerOf(await this.#send('POST', path, sent, LONG_ANSWER_MS), answer);
  }

  /** What the grid would run for a problem on a device; null: it knows nothing that could. */
  async best(
    { op, shape, dtype }: Problem,
    on: { readonly device: string; readonly profile?: Profile },
  ): Promise<BestVariant | null> {
    const sizes = Object.entries(shape).map(([name, size]) => [name, String(size)]);
    const query = new URLSearchParams({ op, dtype, ...on, ...Object.fromEntries(sizes) });
    return this.get(`best?${query}`, bestVariantSchema).catch((error: unknown) => {
      if (error instanceof InputError && error.field === 'request') return null;
      throw error;
    });
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    { type, text }: { type?: string; text?: string } = {},
    withinMs = ANSWER_WITHIN_MS,
  ): Promise<Response> {
    try {
      return await this.#site.request(path, {
        method,
        ...(type && { headers: { 'content-type': type }, body: text }),
        signal: AbortSignal.timeout(withinMs),
      });
    } catch (error) {
      if (error instanceof NotAdmitted) throw new InputError(error.message, '--token');
      if (error instanceof Refused) throw new InputError(error.message, error.field ?? 'request');
      throw error;
    }
  }
}
