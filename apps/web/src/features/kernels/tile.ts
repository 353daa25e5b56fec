import type { Tile } from '@tilemark/core';
import { formatCount } from '@/ui/format';

/** How a tile's elements are shared out among the threads of a workgroup. */
export function shareText({
  elementsPerThread: count,
  sharing,
}: Pick<Tile, 'elementsPerThread' | 'sharing'>): string {
  const elements = count === 1 ? 'one element' : `${formatCount(count)} elements`;
  if (sharing.as === 'subgroup') return `${elements} per subgroup of ${sharing.threads} threads`;
  return `${elements} per thread${
    sharing.threads === 1
      ? ''
      : `, ${count === 1 ? '' : 'each '}shared with ${sharing.threads - 1} other threads along K`
  }`;
}
