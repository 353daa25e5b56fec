import { inviteSchema } from '@tilemark/core';
import { z } from 'zod';

/** A class that this browser joined: what it asks for. */
const joinedSchema = inviteSchema.pick({ name: true, problems: true });
export type Joined = z.infer<typeof joinedSchema>;

/** What this browser keeps between visits: the token it got for its invite, and who it is. */
const keptSchema = z.object({
  token: z.string().nullable(),
  invite: z.string().nullable(),
  /** Of the token. */
  joined: joinedSchema.nullable().default(null),
  instance: z.uuid(),
  /** What its owner is called on this grid. */
  name: z.string().max(60).default(''),
  /** What its owner calls its graphics card. */
  card: z.string().max(200).default(''),
});
type Kept = z.infer<typeof keptSchema>;

const KEY = 'tilemark-join';

export function kept(): Kept {
  const { data } = keptSchema.safeParse(JSON.parse(localStorage.getItem(KEY) ?? 'null'));
  const nobody = { token: null, invite: null, joined: null, name: '', card: '' };
  return data ?? keep({ ...nobody, instance: crypto.randomUUID() });
}

export function keep(what: Kept): Kept {
  localStorage.setItem(KEY, JSON.stringify(what));
  return what;
}
