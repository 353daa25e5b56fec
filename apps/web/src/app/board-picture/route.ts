import { bestOfEach, peakShare } from '@tilemark/core';
import { opOf, shapeText } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import { boardBars } from '@/features/leaderboard/board-bars';
import { boardQuerySchema, boardTitle } from '@/features/leaderboard/query';
import { loadView } from '@/features/leaderboard/view';
import { card } from '@/features/results/card';
import { peakOf, peakText } from '@/features/results/scale';
import { readable } from '@/server/session/visitor';

/** What a link to a board with a query shows elsewhere: the fastest of that board. */
export async function GET(request: Request): Promise<Response> {
  const { store } = await readable();
  const given = Object.fromEntries(new URL(request.url).searchParams);
  const { data: query } = boardQuerySchema.safeParse(given);
  if (!query) notFound();
  const { board, groups } = await loadView(store, query);
  const { problem } = board;
  if (!problem) {
    return card({ title: boardTitle(query), about: 'Nothing measured yet', groups: [], unit: '' });
  }
  const { op, dtype } = problem;
  const { profile } = query;
  const shape = shapeText(problem);
  const [{ rows }, figures] = await Promise.all([
    store.leaderboard({ op, dtype, profile, shape, methodology: board.methodology }),
    groups.includes('reference') ? store.references.list({ op, dtype, shape }) : [],
  ]);
  const own = rows.filter(({ device }) => groups.includes(device.class));
  const bars = boardBars(own, bestOfEach(figures, profile));
  // Several have the fastest to compare with.
  const [only] = bars.length === 1 ? own : [];
  const near = only ? peakShare({ ...only, problem }) : null;
  const peak = only && near ? peakOf(only.rate.value, near) : null;
  const unit = opOf(problem).rateUnit(problem);
  return card({
    title: boardTitle({ ...query, shape }),
    about:
      bars.length > 0
        ? `The fastest kernel of each device, and libraries; higher is better${peak ? `. Full bar: ${peakText(peak, unit)}` : ''}`
        : 'Figures of published reports only',
    groups: [{ peak, bars }],
    unit,
  });
}
