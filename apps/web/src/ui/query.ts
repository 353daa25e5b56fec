import type { z } from 'zod';

/** Next's search parameters of a page. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** What a query string asks for, and what in it could not be understood. */
export interface ParsedQuery<T> {
  readonly query: T;
  /** One sentence for each parameter that was put aside. */
  readonly refused: readonly string[];
}

/**
 * Reads a query string parameter by parameter. One that its schema refuses is
 * put aside with a sentence and takes its default, so any address gives a page.
 * A parameter given twice counts once, the first time.
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
