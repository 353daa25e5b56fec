import type { z } from 'zod';

/**
 * A query string as an object: what is given several times is joined by commas, and what
 * is empty, as a form without scripts sends a control that was left alone, asks for nothing.
 */
export function searchObject(
  search: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      value === undefined || value === ''
        ? []
        : [[name, Array.isArray(value) ? value.join(',') : value]],
    ),
  );
}

/** As `searchObject`, of a URL. */
export const searchObjectOf = (search: URLSearchParams): Record<string, string> =>
  searchObject(
    Object.fromEntries(
      [...new Set(search.keys())].map((name) => [name, search.getAll(name).join(',')]),
    ),
  );

/** What a schema refuses of a query, a sentence each. */
export const refusals = (error: z.ZodError, given: Readonly<Record<string, string>>): string[] =>
  error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const value = given[name] ?? '';
    const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value;
    const why =
      issue.code === 'invalid_value' ? `it is one of ${issue.values.join(', ')}` : issue.message;
    return `${name} cannot be “${shown}”: ${why}`;
  });
