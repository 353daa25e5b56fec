import { shapeText } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import { CARD, card } from '@/features/results/card';
import { resultCard } from '@/features/results/result-card';
import { readable } from '@/server/session/visitor';

export const size = CARD;
export const contentType = 'image/png';
export const alt = 'This result as a picture: its rate, or why it has none';

export default async function Image({ params }: { params: Promise<{ id: string }> }) {
  const { store } = await readable();
  const result = (await store.results.get((await params).id)) ?? notFound();
  const { device, problem, profile } = result;
  const best = (await store.devices.best(device.key)).find(
    (each) =>
      each.profile === profile &&
      each.problem.op === problem.op &&
      each.problem.dtype === problem.dtype &&
      shapeText(each.problem) === shapeText(problem),
  );
  return card(resultCard(result, best));
}
