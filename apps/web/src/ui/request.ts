import type { NewSweep, NewTuning } from '@tilemark/core';
import type { z } from 'zod';

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  /** `field` names the part of the request at fault, if the server could tell. */
  | { readonly ok: false; readonly message: string; readonly field: string | null };

/** What checks the body of a response, or what loads it. */
type Schema<T> = z.ZodType<T> | (() => Promise<z.ZodType<T>>);

const LOG_IN = 'You are not logged in, or your session has ended. Log in, then try again.';
/** Of a token: that of who joined a class. */
export const SEAT_ENDED = 'Your seat has ended: open the link of your class and join again.';

/**
 * Asks the API to change something, with the session of the page or a token. Never throws.
 *
 * @param answer checks the body of the response; without it the body is not read
 */
export async function ask<T = undefined>(
  url: string,
  {
    answer,
    body,
    method = 'POST',
    token,
    type = 'application/json',
  }: {
    answer?: Schema<T>;
    body?: BodyInit;
    method?: string;
    token?: string | undefined;
    type?: string;
  } = {},
): Promise<Answer<T>> {
  const refused = (message: string, field: string | null = null): Answer<T> => ({
    ok: false,
    message,
    field,
  });
  try {
    const response = await fetch(url, {
      method,
      ...(body !== undefined && { body }),
      headers: {
        ...(body !== undefined && { 'Content-Type': type }),
        ...(token && { Authorization: `Bearer ${token}` }),
      },
    });
    if (response.ok) {
      const schema = typeof answer === 'function' ? await answer() : answer;
      return { ok: true, value: schema?.parse(await response.json()) as T };
    }
    // The API speaks to programs of headers and tokens.
    if (response.status === 401) return refused(token ? SEAT_ENDED : LOG_IN);
    const { problemDetailsSchema } = await schemas();
    const problem = problemDetailsSchema.safeParse(await response.json());
    return problem.success
      ? refused(problem.data.detail, problem.data.field ?? null)
      : refused(`The server answered ${response.status}.`);
  } catch {
    return refused('Could not reach the server. Nothing was changed.');
  }
}

/** What the API says to anybody; null where it says nothing. */
export async function read<T>(url: string, schema: z.ZodType<T>): Promise<T | null> {
  try {
    const response = await fetch(url);
    return response.ok ? schema.parse(await response.json()) : null;
  } catch {
    return null;
  }
}

export const submitSweep = (sweep: NewSweep): Promise<Answer<{ readonly id: string }>> =>
  ask('/api/v1/sweeps', {
    body: JSON.stringify(sweep),
    answer: async () => (await schemas()).sweepCreatedSchema,
  });

export const submitTuning = (tuning: NewTuning): Promise<Answer<{ readonly page: string }>> =>
  ask('/api/v1/tunings', {
    body: JSON.stringify(tuning),
    answer: async () => (await schemas()).tuningCreatedSchema,
  });

/** Loaded when an answer has to be read: most pages with a button never need 70 kB of schemas. */
const schemas = () => import('@tilemark/core');
