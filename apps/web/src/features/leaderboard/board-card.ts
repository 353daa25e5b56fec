import { bestOfEach, peakShare } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { opOf, shapeText } from '@tilemark/kernels';
import type { Card, CardBar } from '../results/card';
import { fullBarText, peakOf } from '../results/scale';
import { boardBars } from './board-bars';
import { type BoardQuery, boardTitle } from './query';
import { loadView } from './view';

/** The board of the problem and of the groups that a view shows; of every view, its devices are drawn. */
export async function boardCard(store: Store, query: BoardQuery): Promise<Card> {
  const { board, groups } = await loadView(store, query);
  const { problem } = board;
  const titleOf = (shape: string | undefined) => boardTitle({ ...query, shape, view: 'devices' });
  if (!problem) {
    return { title: titleOf(query.shape), about: 'Nothing measured yet', groups: [], unit: '' };
  }
  const { op, dtype } = problem;
  const { contributed = 'apart', profile } = query;
  const shape = shapeText(problem);
  const asked = { op, dtype, profile, shape };
  const [{ rows }, figures] = await Promise.all([
    store.leaderboard({ ...asked, contributed }),
    groups.includes('reference') ? store.references.list({ op, dtype, shape }) : [],
  ]);
  const shown = rows.filter(
    ({ author, device }) =>
      groups.includes(device.class) && (!author || groups.includes('contributed')),
  );
  const bars = boardBars(shown, bestOfEach(figures, profile));
  // Several have the fastest to compare with.
  const [only] = bars.length === 1 ? shown : [];
  const near = only ? peakShare({ ...only, problem }) : null;
  return {
    title: titleOf(shape),
    about: only && near ? `${boardAbout(bars)}. ${fullBarText(only.rate, near)}` : boardAbout(bars),
    groups: [{ peak: only && near ? peakOf(only.rate.value, near) : null, bars }],
    unit: opOf(problem).rateUnit(problem),
  };
}

/** What the bars of a board are. */
export function boardAbout(bars: readonly Pick<CardBar, 'isSubject'>[]): string {
  if (bars.length === 0) return 'Figures of published reports only';
  const kernels = bars.filter(({ isSubject }) => isSubject).length;
  const better = bars.length > 1 ? '; higher is better' : '';
  if (kernels === 0) {
    const what = bars.length > 1 ? 'Libraries' : 'A library';
    return `${what}, measured elsewhere: this board has no WGSL kernel yet${better}`;
  }
  const libraries = kernels < bars.length ? ', and libraries' : '';
  return `The fastest kernel of each device${libraries}${better}`;
}
