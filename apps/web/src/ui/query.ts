import { refusalOf } from '@tilemark/core';
import type { z } from 'zod';

/** Next's search parameters of a page. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** A query string as understood, and what could not be. */
export interface ParsedQuery<T> {
  readonly query: T;
  /** One sentence per parameter that was ignored. */
  readonly refused: readonly string[];
}

/**
 * Reads a query string parameter by parameter. One that its schema refuses is ignored, with a
 * sentence that says so, and takes its default, so every address gives a page. Of a parameter
 * given twice the first counts.
 */
export function parseQuery<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  params: Record<string, string | string[] | undefined>,
): ParsedQuery<z.output<z.ZodObject<Shape>>> {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = params[name];
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name, first]];
    }),
  );
  const whole = schema.safeParse(given);
  if (whole.success) return { query: whole.data, refused: [] };
  const bad = new Set(whole.error.issues.map((issue) => String(issue.path[0])));
  const kept = Object.fromEntries(Object.entries(given).filter(([name]) => !bad.has(name)));
  return {
    query: schema.parse(kept),
    refused: [...bad].map((name) => `${name} cannot be “${String(given[name]).slice(0, 60)}”.`),
  };
}

/**
 * A query string as an object: repeated parameters are joined by commas, and empty ones, which a
 * form without scripts sends for untouched controls, are left out.
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

export const searchObjectOf = (search: URLSearchParams): Record<string, string> =>
  searchObject(
    Object.fromEntries(
      [...new Set(search.keys())].map((name) => [name, search.getAll(name).join(',')]),
    ),
  );

/** What a schema refuses in a query, one sentence each. */
export const refusals = (error: z.ZodError, given: Readonly<Record<string, string>>): string[] =>
  error.issues.map((issue) => {
    const name = String(issue.path[0]);
    const value = given[name];
    if (value === undefined) {
      const isPlain = issue.code === 'invalid_type' || issue.code === 'invalid_value';
      return isPlain ? `${name} is required` : `${name} is missing: ${issue.message}`;
    }
    // It names what was given itself.
    if (issue.message.startsWith("'")) return `${name}: ${issue.message}`;
    const shown = value.length > 60 ? `${value.slice(0, 60)}…` : value;
    return `${name} cannot be “${shown}”: ${refusalOf('it', issue.message)}`;
  });
