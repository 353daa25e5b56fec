import {
  type BestVariant,
  bestVariantSchema,
  type Profile,
  problemDetailsSchema,
} from '@tilemark/core';
import { InputError, type Problem } from '@tilemark/kernels';
import type { z } from 'zod';

/** Where a grid's site is, and who asks. */
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
/** For uploads of a whole file: 64 MB of results take a minute or two. */
export const LONG_ANSWER_MS = 300_000;

/**
 * A client of a grid's API v1. Methods throw InputError for what the site refuses
 * (a token, a body, an id) and Error if it does not answer.
 */
export class GridClient {
  readonly #base: URL;
  readonly #token: string | undefined;

  constructor(options: GridOptions) {
    const { server, token } = siteOf(options);
    this.#base = new URL('api/v1/', server.href.endsWith('/') ? server : `${server.href}/`);
    this.#token = token;
  }

  /** @param path below `/api/v1/`, with its query */
  async get<T>(path: string, answer: z.ZodType<T>): Promise<T> {
    return this.#parsed(await this.#send('GET', path), answer);
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
    return this.#parsed(await this.#send('POST', path, body, withinMs), answer);
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

  async #parsed<T>(response: Response, answer: z.ZodType<T>): Promise<T> {
    const { data, success } = answer.safeParse(await response.json().catch(() => null));
    if (success) return data;
    throw new Error(
      `${response.url} gave an unexpected answer. Is this a Tilemark site of this version?`,
    );
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    withinMs = ANSWER_WITHIN_MS,
  ): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(new URL(path, this.#base), {
        method,
        headers: {
          ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(withinMs),
      });
    } catch (error) {
      const { cause } = error instanceof Error ? error : { cause: undefined };
      const reason = cause instanceof Error ? cause.message : String(error);
      throw new Error(`The site at ${this.#base.origin} cannot be reached (${reason}).`);
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

const refusalSchema = problemDetailsSchema.pick({ detail: true, field: true });

/** Tells a mistake in the request (InputError) from trouble at the site (Error). */
async function refusal(response: Response): Promise<Error> {
  const { status, url } = response;
  const { data } = refusalSchema.safeParse(await response.json().catch(() => null));
  if (!data) return new Error(`${url} answered ${status}. Is this a Tilemark site?`);
  if (status === 401 || status === 403) return new InputError(data.detail, '--token');
  // Too many requests: the same one may succeed later.
  if (status === 429) return new Error(data.detail);
  if (status < 500) return new InputError(data.detail, data.field ?? 'request');
  return new Error(`The site answered ${status}: ${data.detail}`);
}
