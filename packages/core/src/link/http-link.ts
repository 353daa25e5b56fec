import type { z } from 'zod';
import type { RunClaim, RunOutcome } from '../api/run';
import type { TuningDecision } from '../api/tuning';
import type { Profile } from '../measure/device';
import type { RooflineSurvey } from '../measure/roofline';
import { MAXIMA } from '../schema/maxima';
import { type Link, Refused, type WorkerDescription } from './link';
import { answerOf, Site } from './site';
import {
  type Attachment,
  attachmentSchema,
  nextAnswerSchema,
  type Orders,
  ordersSchema,
  outcomeAnswerSchema,
  POLL_MS,
  PROTOCOL,
  PROTOCOL_HEADER,
  type WorkingState,
} from './wire';

/** A request that asks for nothing long; a connection that died in silence costs this, ms. */
const ANSWER_WITHIN_MS = 15_000;
/** An outcome may be large and the way slow, ms. */
const OUTCOME_WITHIN_MS = 60_000;

interface HttpLinkOptions {
  /** The site's address. */
  readonly server: URL;
  /** Of role worker or admin. */
  readonly token: string;
}

/** The http form of the link. Each method is one request; trying again is the caller's. */
export class HttpLink implements Link {
  readonly #site: Site;
  #worker: WorkerDescription | null = null;
  #id = '';
  readonly #closing = new AbortController();

  constructor({ server, token }: HttpLinkOptions) {
    this.#site = new Site(server, token);
  }

  async attach(worker: WorkerDescription): Promise<Attachment> {
    const body = { ...worker, at: new Date().toISOString() };
    const attached = await this.#post('workers', attachmentSchema, body);
    this.#worker = worker;
    this.#id = attached.workerId;
    return attached;
  }

  async next(signal: AbortSignal): Promise<RunClaim | null> {
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

  async decide(runId: string, decision: TuningDecision): Promise<void> {
    await this.#own(`runs/${encodeURIComponent(runId)}/decision`, null, decision);
  }

  async outcome({ runId, workerId: _, ...outcome }: RunOutcome): Promise<void> {
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
    { signal, pollMs = 0, withinMs = ANSWER_WITHIN_MS }: RequestOptions = {},
  ): Promise<T> {
    const isPacked = body instanceof Uint8Array;
    // AbortSignal.any leaves something behind in signals that live on.
    const giveUp = new AbortController();
    const stop = () => giveUp.abort();
    const timer = setTimeout(stop, pollMs + withinMs);
    const sources = [this.#closing.signal, ...(signal ? [signal] : [])];
    for (const source of sources) source.addEventListener('abort', stop);
    try {
      const response = await this.#site.request(path, {
        method: 'POST',
        headers: {
          [PROTOCOL_HEADER]: String(PROTOCOL),
          'content-type': 'application/json',
          ...(isPacked && { 'content-encoding': 'gzip' }),
        },
        // A request of a tab that is being closed still arrives.
        keepalive: !isPacked && pollMs === 0,
        body: isPacked ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body),
        signal: giveUp.signal,
      });
      if (answer !== null) return await answerOf(response, answer);
      await response.body?.cancel();
      return undefined as T;
    } finally {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener('abort', stop);
    }
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
