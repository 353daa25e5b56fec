import { isMeasured } from '@tilemark/core';
import { notFound } from 'next/navigation';
import { CARD, card } from '@/features/results/card';
import { MAX_RUNS } from '@/features/sweeps/load';
import { sweepCard } from '@/features/sweeps/sweep-card';
import { readable } from '@/server/session/visitor';

export const size = CARD;
export const contentType = 'image/png';
export const alt = 'The fastest variants of this sweep';

export default async function Image({ params }: { params: Promise<{ id: string }> }) {
  const { store } = await readable();
  const sweep = (await store.sweeps.get((await params).id)) ?? notFound();
  const runs = await store.sweeps.runs(sweep.id, MAX_RUNS);
  return card(sweepCard(sweep, runs.filter(isMeasured)));
}
