import type { z } from 'zod';
import { problemDetailsSchema } from '../api/answer';
import { GridUnavailable, NotAdmitted, Refused } from './link';

const refusalSchema = problemDetailsSchema.pick({ detail: true, field: true });

/** A grid's site as whoever speaks its API v1 reaches it: workers, and the commands that ask a grid. */
export class Site {
  readonly #base: URL;
  readonly #token: string | undefined;

  constructor(server: URL, token?: string) {
    this.#base = new URL('api/v1/', server.href.endsWith('/') ? server : `${server.href}/`);
    this.#token = token;
  }

  /**
   * One request; trying again is the caller's. Throws GridUnavailable where another try may succeed,
   * NotAdmitted for the token, and Refused for the rest.
   *
   * @param path below `/api/v1/`, with its query
   */
  async request(
    path: string,
    init: RequestInit & { readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response> {
    const authorization =
      this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
    let response: Response;
    try {
      response = await fetch(new URL(path, this.#base), {
        ...init,
        headers: { ...authorization, ...init.headers },
      });
    } catch (error) {
      const { cause } = error instanceof Error ? error : { cause: undefined };
      const reason = cause instanceof Error ? cause.message : String(error);
      const message = `The site at ${this.#base.origin} cannot be reached (${reason}).`;
      throw new GridUnavailable(message, { cause: error });
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

/** The content of an answer. Throws GridUnavailable for another than it should have. */
export async function answerOf<T>(response: Response, schema: z.ZodType<T>): Promise<T> {
  const { data, success } = schema.safeParse(await response.json().catch(() => null));
  if (success) return data;
  throw new GridUnavailable(
    `${response.url} gave an unexpected answer. Is this a Tilemark site of this version?`,
  );
}

async function refusal(response: Response): Promise<Error> {
  const { status, url } = response;
  const { data } = refusalSchema.safeParse(await response.json().catch(() => null));
  // A proxy speaks for a site that is down, and may do so with any status but this one.
  if (!data && status === 413)
    return new Refused(`${url} accepts no body of this size.`, undefined);
  if (!data) return new GridUnavailable(`${url} answered ${status}. Is this a Tilemark site?`);
  if (status === 401 || status === 403) return new NotAdmitted(data.detail);
  if (status === 429 || status >= 500) return new GridUnavailable(data.detail);
  return new Refused(data.detail, data.field, status === 404);
}
