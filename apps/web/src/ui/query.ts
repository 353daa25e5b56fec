import { refusalOf } from '@tilemark/core';
import type { z } from 'zod';

/** Next's search parameters of a page. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** A query string as understood, and what could not be. */
interface ParsedQuery<T> {
  readonly query: T;
  /** One sentence per parameter that was ignored. */
  readonly refused: string[];
}

/**
 * Reads a query string parameter by parameter. One that its schema refuses is ignored, with a
 * sentence that says so, and takes its default, so every address gives a page.
 */
export function parseQuery<Schema extends z.ZodType>(
  schema: Schema,
  params: Record<string, string | string[] | undefined>,
): ParsedQuery<z.output<Schema>> {
  const given = searchObject(params);
  const whole = schema.safeParse(given);
  if (whole.success) return { query: whole.data, refused: [] };
  const bad = new Set(whole.error.issues.flatMap(namesAtFault));
  const kept = Object.fromEntries(Object.entries(given).filter(([name]) => !bad.has(name)));
  const rest = schema.safeParse(kept);
  // What is left may make no sense without the rest.
  const query = rest.success ? rest.data : schema.parse({});
  return { query, refused: refusals(whole.error, given) };
}

/**
 * A query string as an object: repeated parameters are joined by semicolons, and empty ones, which a
 * form without scripts sends for untouched controls, are left out.
 */
export function searchObject(
  search: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) =>
      value === undefined || String(value) === ''
        ? []
        : [[name, Array.isArray(value) ? value.join(';') : value]],
    ),
  );
}

const namesAtFault = (issue: z.core.$ZodIssue): string[] =>
  issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0])];

/** The same of an address. */
export function queryObject(params: URLSearchParams): Record<string, string> {
  return searchObject(
    Object.fromEntries([...params.keys()].map((name) => [name, params.getAll(name)])),
  );
}

/** What a schema refuses in a query, one sentence each. */
const refusals = (error: z.ZodError, given: Readonly<Record<string, string>>): string[] =>
  error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => `${key} is not a parameter here`);
    }
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
