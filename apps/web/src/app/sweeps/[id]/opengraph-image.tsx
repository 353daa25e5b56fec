import { isMeasured } from '@tilemark/core';
import { opOf } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import { shortDeviceName } from '@/features/devices/device-name';
import { CARD, card } from '@/features/results/card';
import { sweepBars } from '@/features/results/card-bars';
import { groupKey, problemText } from '@/features/sweeps/runs';
import { readable } from '@/server/session/visitor';
import { plural } from '@/ui/format';

export const size = CARD;
export const contentType = 'image/png';
export const alt = 'The fastest variants of this sweep';

export default async function Image({ params }: { params: Promise<{ id: string }> }) {
  const { store } = await readable();
  const sweep = (await store.sweeps.get((await params).id)) ?? notFound();
  const runs = (await store.sweeps.runs(sweep.id, 500)).filter(isMeasured);
  const [first] = runs;
  const alike = runs.filter((run) => first && groupKey(run) === groupKey(first));
  return card(
    sweep.name,
    first
      ? `${problemText(first.problem)}, ${first.profile}, on ${shortDeviceName(first.device.name)}; ${plural(sweep.counts.total, 'run')}`
      : plural(sweep.counts.total, 'run'),
    sweepBars(alike),
    first ? opOf(first.problem).rateUnit(first.problem) : '',
  );
}
