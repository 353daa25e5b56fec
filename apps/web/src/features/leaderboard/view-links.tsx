import Link from 'next/link';
import { type BoardQuery, boardHref, type View } from './query';

const TITLES: readonly (readonly [View, string])[] = [
  ['devices', 'Devices'],
  ['heatmap', 'Devices × kernels'],
  ['portability', 'Portability'],
];

/** The views of the board; the filters go along. */
export function ViewLinks({ query }: { query: BoardQuery }) {
  return (
    <nav aria-label="Views of the leaderboard" className="mb-4 flex gap-1 border-b border-line">
      {TITLES.map(([view, title]) => (
        <Link
          key={view}
          href={boardHref(query, { view, ship: null, rows: null })}
          aria-current={view === query.view ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent px-3 py-1.5 text-[0.8125rem] whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
