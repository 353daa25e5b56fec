import type { Sweep } from '@tilemark/core';
import type { Store } from '@tilemark/core/server';
import { firstItems } from '@/server/pages';
import { type Row, rowOf } from './row';

/** Runs a page of a sweep shows; larger sweeps are read from the export. */
const MAX_ROWS = 2_000;

/** The rows of a sweep, up to what a page can carry. */
export async function loadRows(store: Store, sweep: Sweep): Promise<Row[]> {
  const results = await firstItems((cursor) => store.sweeps.results(sweep.id, cursor), MAX_ROWS);
  return results.map(rowOf);
}
