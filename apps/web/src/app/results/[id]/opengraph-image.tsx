import { shapeText } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import { CARD, card } from '@/features/results/card';
import { readable } from '@/server/session/visitor';

export const size = CARD;
export const contentType = 'image/png';
export const alt = 'The rate of this result beside the best of its device';

export default async function Image({ params }: { params: Promise<{ id: string }> }) {
  const { store } = await readable();
  const result = (await store.results.get((await params).id)) ?? notFound();
  const { address, device, problem, profile, rate } = result;
  const best = (await store.devices.best(device.key)).find(
    (each) =>
      each.profile === profile &&
      each.problem.op === problem.op &&
      each.problem.dtype === problem.dtype &&
      shapeText(each.problem) === shapeText(problem),
  );
  const bars = [result, best].flatMap((each) =>
    each?.rate
      ? [{ label: each === best ? `Best here: ${each.address}` : address, rate: each.rate.value }]
      : [],
  );
  return card(
    rate ? `${rate.value.toPrecision(4)} ${rate.unit}` : 'No rate',
    `${problem.op} ${shapeText(problem)} ${problem.dtype}, ${profile}, on ${device.name}`,
    best?.resultId === result.resultId ? bars.slice(0, 1) : bars,
    rate?.unit ?? '',
  );
}
