import { z } from 'zod';

/** What this browser keeps between visits: the token it got for its invite, and who it is. */
const keptSchema = z.object({
  token: z.string().nullable(),
  invite: z.string().nullable(),
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
  return (
    data ?? keep({ token: null, invite: null, instance: crypto.randomUUID(), name: '', card: '' })
  );
}

export function keep(what: Kept): Kept {
  localStorage.setItem(KEY, JSON.stringify(what));
  return what;
}
