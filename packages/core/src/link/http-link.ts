import type { z } from 'zod';
import type { Profile } from '../measure/device';
import type { RooflineSurvey } from '../measure/roofline';
import { MAXIMA } from '../schema/maxima';
import { problemDetailsSchema } from '../view/answer';
import { GridUnavailable, type Link, NotAdmitted, Refused, type WorkerDescription } from './link';
import {
  type Attachment,
  attachmentSchema,
  type ClaimedRun,
  nextAnswerSchema,
  type Orders,
  ordersSchema,
  outcomeAnswerSchema,
  POLL_MS,
  PROTOCOL,
  PROTOCOL_HEADER,
  type RecordedRun,
  type WorkingState,
} from './wire';

/** A request that asks for nothing long; a connection that died in silence costs this, ms. */
const ANSWER_WITHIN_MS = 15_000;
/** An outcome may be large and the way slow, ms. */
const OUTCOME_WITHIN_MS = 60_000;

export interface HttpLinkOptions {
  /** The site's address. */
  readonly server: URL;
  /** Of role worker or admin. */
  readonly token: string;
}

/** The http form of the link. Each method is one request; trying again is the caller's. */
export class HttpLink implements Link {
  readonly #base: URL;
  readonly #token: string;
  #worker: WorkerDescription | null = null;
  #id = '';
  readonly #closing = new AbortController();

  constructor({ server, token }: HttpLinkOptions) {
    this.#base = new URL('api/v1/', server.href.endsWith('/') ? server : `${server.href}/`);
    this.#token = token;
  }

  async attach(worker: WorkerDescription): Promise<Attachment> {
    const body = { ...worker, at: new Date().toISOString() };
    const attached = await this.#post('workers', attachmentSchema, body);
    this.#worker = worker;
    this.#id = attached.workerId;
    return attached;
  }

  async next(signal: AbortSignal): Promise<ClaimedRun | null> {
    if (signal.aborted) return null;
    try {
      const { run } = await this.#own('next', nextAnswerSchema, {}, { signal, pollMs: POLL_MS });
      return run;
    } catch (error) {
      if (signal.aborted) return null;
      throw error;
    }
  }

  heartbeat(state: WorkingState, runs: readonly string[]): Promise<Orders> {
    // A run that is left out may be given to another; then the first result of the two counts.
    return this.#own('heartbeat', ordersSchema, { state, runs: runs.slice(0, MAXIMA.runsInHand) });
  }

  async handBack(runId: string): Promise<void> {
    await this.#own(`runs/${encodeURIComponent(runId)}/release`, null, {});
  }

  async outcome({ runId, workerId: _, ...outcome }: RecordedRun): Promise<void> {
    await this.#own(
      `runs/${encodeURIComponent(runId)}/outcome`,
      outcomeAnswerSchema,
      await gzip(JSON.stringify(outcome)),
      { withinMs: OUTCOME_WITHIN_MS },
    );
  }

  async roofline(profile: Profile, survey: RooflineSurvey): Promise<void> {
    await this.#own('rooflines', null, { profile, survey });
  }

  async detach(): Promise<void> {
    await this.#own('detach', null, {});
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  /** A request below this worker's own address. One that the grid has taken off its list attaches again. */
  async #own<T>(
    path: string,
    answer: z.ZodType<T> | null,
    body: object,
    options: RequestOptions = {},
  ): Promise<T> {
    const ask = () =>
      this.#post(`workers/${encodeURIComponent(this.#id)}/${path}`, answer, body, options);
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Refused && error.field === 'worker') || !this.#worker) throw error;
      if (path === 'detach') throw error;
      await this.attach(this.#worker);
      return ask();
    }
  }

  async #post<T>(
    path: string,
    answer: z.ZodType<T> | null,
    body: object,
    options: RequestOptions = {},
  ): Promise<T> {
    const { signal, pollMs = 0, withinMs = ANSWER_WITHIN_MS } = options;
    const isPacked = body instanceof Uint8Array;
    // AbortSignal.any leaves something behind in signals that live on.
    const giveUp = new AbortController();
    const stop = () => giveUp.abort();
    const timer = setTimeout(stop, pollMs + withinMs);
    const sources = [this.#closing.signal, ...(signal ? [signal] : [])];
    for (const source of sources) source.addEventListener('abort', stop);
    try {
      const response = await fetch(new URL(path, this.#base), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${this.#token}`,
          [PROTOCOL_HEADER]: String(PROTOCOL),
          'content-type': 'application/json',
          ...(isPacked && { 'content-encoding': 'gzip' }),
        },
        // A request of a tab that is being closed still arrives.
        keepalive: !isPacked && pollMs === 0,
        body: isPacked ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
        signal: giveUp.signal,
      });
      if (!response.ok) throw await refusal(response);
      if (answer === null) {
        await response.body?.cancel();
        return undefined as T;
      }
      const { data, success } = answer.safeParse(await response.json().catch(() => null));
      if (success) return data;
      throw new GridUnavailable(
        `${response.url} gave an unexpected answer. Is this a Tilemark site of this version?`,
      );
    } catch (error) {
      throw this.#translated(error);
    } finally {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener('abort', stop);
    }
  }

  #translated(error: unknown): unknown {
    for (const kind of [GridUnavailable, NotAdmitted, Refused]) {
      if (error instanceof kind) return error;
    }
    const { cause } = error instanceof Error ? error : { cause: undefined };
    const reason = cause instanceof Error ? cause.message : String(error);
    const message = `The site at ${this.#base.origin} cannot be reached (${reason}).`;
    return new GridUnavailable(message, { cause: error });
  }
}

interface RequestOptions {
  readonly signal?: AbortSignal;
  /** How long the site may wait before it answers. */
  readonly pollMs?: number;
  readonly withinMs?: number;
}

async function gzip(text: string): Promise<Uint8Array> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

const refusalSchema = problemDetailsSchema.pick({ detail: true, field: true });

async function refusal(response: Response): Promise<Error> {
  const { status, url } = response;
  const { data } = refusalSchema.safeParse(await response.json().catch(() => null));
  // A proxy speaks for a site that is down, and may do so with any status but this one.
  if (!data && status === 413)
    return new Refused(`${url} accepts no body of this size.`, undefined);
  if (!data) {
    return new GridUnavailable(`${url} answered ${status}. Is this a Tilemark site?`);
  }
  if (status === 401 || status === 403) return new NotAdmitted(data.detail);
  if (status === 429 || status >= 500) return new GridUnavailable(data.detail);
  return new Refused(data.detail, data.field, status === 404);
}
