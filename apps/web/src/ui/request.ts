import { type NewSweep, problemDetailsSchema, sweepCreatedSchema } from '@tilemark/core';
import type { z } from 'zod';

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  /** `field` names the part of the request at fault, if the server could tell. */
  | { readonly ok: false; readonly message: string; readonly field: string | null };

const LOG_IN = 'You are not logged in, or your session has ended. Log in, then try again.';

/**
 * Asks the API to change something, with the session of the page. Never throws.
 *
 * @param answer checks the body of the response; without it the body is not read
 */
export async function ask<T = undefined>(
  url: string,
  {
    answer,
    body,
    method = 'POST',
  }: { answer?: z.ZodType<T>; body?: BodyInit; method?: string } = {},
): Promise<Answer<T>> {
  const refused = (message: string, field: string | null = null): Answer<T> => ({
    ok: false,
    message,
    field,
  });
  try {
    const response = await fetch(url, {
      method,
      ...(body !== undefined && { body, headers: { 'Content-Type': 'application/json' } }),
    });
    if (response.ok) {
      return { ok: true, value: (answer ? answer.parse(await response.json()) : undefined) as T };
    }
    // The API speaks to programs of headers and tokens.
    if (response.status === 401) return refused(LOG_IN);
    const problem = problemDetailsSchema.safeParse(await response.json());
    return problem.success
      ? refused(problem.data.detail, problem.data.field ?? null)
      : refused(`The server answered ${response.status}.`);
  } catch {
    return refused('Could not reach the server. Nothing was changed.');
  }
}

export const submitSweep = (sweep: NewSweep): Promise<Answer<{ readonly id: string }>> =>
  ask('/api/v1/sweeps', { body: JSON.stringify(sweep), answer: sweepCreatedSchema });
