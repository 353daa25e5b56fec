import { type ProblemDetails, refusalOf } from '@tilemark/core';
import { z } from 'zod';

/**
 * Problems of requests: one kind of error with a status and a sentence, and the application/problem+json that
 * is sent for it.
 */

const TITLES = {
  400: 'The request is not valid',
  401: 'Not logged in',
  403: 'Not allowed',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'The request took too long',
  409: 'Not possible now',
  413: 'The request is too large',
  415: 'Unsupported media type',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Service unavailable',
} as const;
export type ProblemStatus = keyof typeof TITLES;

/** Ends a request with a status and a sentence for people; `field` is what is at fault. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  constructor(
    readonly status: ProblemStatus,
    message: string,
    readonly field?: string,
    /** When to come back, of a 429. */
    readonly retryAfterS?: number,
  ) {
    super(message);
  }
}

/** The answer to an error, as RFC 9457 has it. */
export function problemResponse(
  { field, message, retryAfterS, status }: HttpProblem,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const details: ProblemDetails = {
    type: 'about:blank',
    title: TITLES[status],
    status,
    detail: message,
    ...(field !== undefined && { field }),
  };
  return Response.json(details, {
    status,
    headers: {
      'Content-Type': 'application/problem+json',
      'Cache-Control': 'no-store',
      // What is left of the body may never come: the connection cannot be used again.
      ...(status === 408 && { Connection: 'close' }),
      ...(status === 503 && { 'Retry-After': '5' }),
      ...(retryAfterS !== undefined && { 'Retry-After': String(retryAfterS) }),
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer realm="tilemark"' }),
      ...headers,
    },
  });
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );

type Issue = z.core.$ZodIssue;

/** An issue of form: a key that is missing or too many, so this branch of a union was not meant. */
const isAboutForm = (issue: Issue, input: unknown) =>
  issue.code === 'unrecognized_keys' ||
  (issue.path.length === 1 && valueAt(input, issue.path) === undefined);

/**
 * The first thing wrong. A union reports the faults of every branch; the branch
 * that was meant is the one whose keys fit best.
 */
function firstIssue(
  issues: readonly Issue[],
  input: unknown,
): { path: PropertyKey[]; message: string } {
  const issue = issues[0];
  if (!issue) return { path: [], message: 'Not valid.' };
  if (issue.code === 'unrecognized_keys') {
    const [key] = issue.keys;
    return {
      path: key === undefined ? issue.path : [...issue.path, key],
      message: `There is no field \`${key}\` here.`,
    };
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const inner = valueAt(input, issue.path);
    const misfit = (branch: readonly Issue[]) =>
      branch.filter((each) => isAboutForm(each, inner)).length;
    const [meant] = issue.errors.toSorted((a, b) => misfit(a) - misfit(b) || a.length - b.length);
    const first = firstIssue(meant ?? [], inner);
    return { path: [...issue.path, ...first.path], message: first.message };
  }
  return { path: issue.path, message: issue.message };
}

/** A request that its schema refuses, as a 400 that names the field. */
export function problemOfZod(error: z.ZodError, input: unknown): HttpProblem {
  const { path, message } = firstIssue(error.issues, input);
  const field = z.core.toDotPath(path);
  return new HttpProblem(400, refusalOf(field || 'The body', message), field || undefined);
}
