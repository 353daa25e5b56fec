import { opOf, shapeText, shortAddress } from '@tilemark/kernels';
import { notFound } from 'next/navigation';
import { CARD, card } from '@/features/results/card';
import { readable } from '@/server/session/visitor';

export const size = CARD;
export const contentType = 'image/png';
export const alt = 'The rate of this result beside the best and the peak of its device';

export default async function Image({ params }: { params: Promise<{ id: string }> }) {
  const { store } = await readable();
  const result = (await store.results.get((await params).id)) ?? notFound();
  const { address, device, outcome, problem, profile, rate } = result;
  const roof = outcome?.kind === 'measured' ? outcome.measurement.roof : null;
  const best = (await store.devices.best(device.key)).find(
    (each) =>
      each.profile === profile &&
      each.problem.op === problem.op &&
      each.problem.dtype === problem.dtype &&
      shapeText(each.problem) === shapeText(problem),
  );
  const bars = [result, best].flatMap((each) =>
    each?.rate
      ? [
          {
            label:
              each === best ? `Best ranked: ${shortAddress(each.address)}` : shortAddress(address),
            rate: each.rate.value,
          },
        ]
      : [],
  );
  if (best?.resultId === result.resultId) bars.splice(1);
  if (roof) bars.push({ label: 'The device’s peak', rate: opOf(problem).rate(problem, roof.ns) });
  return card(
    rate ? `${rate.value.toPrecision(4)} ${rate.unit}` : 'No rate',
    `${problem.op} ${shapeText(problem)} ${problem.dtype}, ${profile}, on ${device.name}`,
    bars,
    rate?.unit ?? '',
    bars[0]?.label,
  );
}
