import { z } from 'zod';

/** Tells the page of refusals, which the proxy shows in place of another, what was refused. */
export const REFUSAL_HEADER = 'x-tilemark-refusal';

const refusalSchema = z.object({
  reasons: z.array(z.string()),
  /** Of the page without what was refused; null: the page itself cannot be read. */
  path: z.string().nullable(),
});

/** Why an address cannot be answered. */
export type Refusal = z.infer<typeof refusalSchema>;

const MOST_REASONS = 8;

/** A refusal in the characters of a header. */
export const refusalText = ({ reasons, path }: Refusal): string =>
  encodeURIComponent(JSON.stringify({ reasons: reasons.slice(0, MOST_REASONS), path }));

/** Null: nothing was refused. */
export const readRefusal = (text: string | null): Refusal | null =>
  text === null ? null : refusalSchema.parse(JSON.parse(decodeURIComponent(text)));
