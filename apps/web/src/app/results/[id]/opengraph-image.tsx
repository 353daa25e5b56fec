import { shapeText } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import { shortDeviceName } from '@/features/devices/device-name';
import { CARD, card } from '@/features/results/card';
import { resultBars } from '@/features/results/card-bars';
import { readable } from '@/server/session/visitor';
import { formatShape, rateText } from '@/ui/format';

export const size = CARD;
export const contentType = 'image/png';
export const alt = 'The rate of this result beside the best and the peak of its device';

export default async function Image({ params }: { params: Promise<{ id: string }> }) {
  const { store } = await readable();
  const result = (await store.results.get((await params).id)) ?? notFound();
  const { device, outcome, problem, profile, rate } = result;
  const best = (await store.devices.best(device.key)).find(
    (each) =>
      each.profile === profile &&
      each.problem.op === problem.op &&
      each.problem.dtype === problem.dtype &&
      shapeText(each.problem) === shapeText(problem),
  );
  return card(
    rate ? rateText(rate) : `Outcome: ${outcome?.kind ?? 'pending'}`,
    `${problem.op} ${formatShape(shapeText(problem))} ${problem.dtype}, ${profile}, on ${shortDeviceName(device.name)}`,
    resultBars(result, best),
    rate?.unit ?? '',
  );
}
