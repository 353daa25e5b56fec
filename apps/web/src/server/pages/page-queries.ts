import { KERNELS } from '@tilemark/kernels';
import { workbenchQuerySchema } from '@/features/best/query';
import { specialisation } from '@/features/kernels/specialisation';
import { boardQuerySchema } from '@/features/leaderboard/query';
import { refusals, searchObjectOf } from '@/ui/query';

/** Longer than any query string that the site writes. */
const MOST_CHARACTERS = 8_000;

const SCHEMAS = { '/': boardQuerySchema, '/best': workbenchQuerySchema } as const;

/**
 * Why the address of a page cannot be answered, a sentence each; none where it can.
 * Asked before the page is rendered, since only then its status can be 400.
 */
export function refusedQuery({ pathname, search, searchParams }: URL): string[] {
  if (search.length > MOST_CHARACTERS) {
    return [
      `The part after the “?” is ${search.length} characters long; no page accepts that many.`,
    ];
  }
  const kernel = KERNELS.find(({ id }) => pathname === `/kernels/${id}`);
  if (kernel) return [...specialisation(kernel, searchObjectOf(searchParams)).refused];
  const schema = Object.entries(SCHEMAS).find(([path]) => path === pathname)?.[1];
  if (!schema) return [];
  const given = searchObjectOf(searchParams);
  const parsed = schema.safeParse(given);
  return parsed.success ? [] : refusals(parsed.error, given);
}
