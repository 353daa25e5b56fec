import { problemDetailsSchema } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import type { z } from 'zod';

/** Where a site is and who asks it. */
export interface SiteOptions {
  readonly server: string;
  readonly token?: string;
}

const ANSWER_WITHIN_MS = 60_000;
/** What brings a whole file: 64 MB of results take a minute or two. */
export const LONG_ANSWER_MS = 300_000;

/**
 * A grid's site, spoken to through API v1. Methods throw InputError for what the
 * site refuses (a token, a body, an id) and Error when it does not answer.
 */
export class Site {
  readonly #base: URL;
  readonly #token: string | undefined;

  constructor({ server, token }: SiteOptions) {
    const url = URL.canParse(server) ? new URL(server) : null;
    if (!url || !/^https?:$/.test(url.protocol)) {
      throw new InputError(`'${server}' is not an http or https address`, '--server');
    }
    // Headers cannot carry anything else, and the text itself is nobody's to print.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
      throw new InputError(
        'This is no token: copy the whole of it, tm_ and what follows, without spaces.',
        '--token',
      );
    }
    this.#base = new URL('api/v1/', url.href.endsWith('/') ? url : `${url.href}/`);
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

  async #parsed<T>(response: Response, answer: z.ZodType<T>): Promise<T> {
    const { data, success } = answer.safeParse(await response.json().catch(() => null));
    if (success) return data;
    throw new Error(
      `${response.url} gave no such answer; is this a Tilemark site of this version?`,
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

/** What a refusal is to the person who asked: their input, or the site's trouble. */
async function refusal(response: Response): Promise<Error> {
  const { status, url } = response;
  const { data } = refusalSchema.safeParse(await response.json().catch(() => null));
  if (!data) return new Error(`${url} answered ${status}; is this a Tilemark site?`);
  if (status === 401 || status === 403) return new InputError(data.detail, '--token');
  // Too many requests: the same one will do later.
  if (status === 429) return new Error(data.detail);
  if (status < 500) return new InputError(data.detail, data.field ?? 'request');
  return new Error(`The site answered ${status}: ${data.detail}`);
}
