import { outcomeReason } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';
import { shortDeviceName } from '@/features/devices/device-name';
import { readable } from '@/server/session/visitor';
import { formatShape, rateText } from '@/ui/format';

const CHARACTER_WIDTH = 6.6;

/** A result as a badge for a README. */
export async function GET(_: Request, { params }: { params: Promise<{ id: string }> }) {
  const { store } = await readable();
  const result = await store.results.get((await params).id);
  if (!result?.rate)
    return new Response('There is no measured result with this id.', { status: 404 });
  const { device, imported, outcome, problem, rate, variant } = result;
  const name = `${variant.kernel} ${formatShape(shapeText(problem))} ${problem.dtype}`;
  const value = [
    rateText(rate),
    `on ${shortDeviceName(device.name)}`,
    ...(imported ? ['imported'] : []),
    ...(outcomeReason(outcome) === null ? [] : ['not ranked']),
  ].join(', ');
  const [left = 0, right = 0] = [name, value].map((text) => text.length * CHARACTER_WIDTH + 16);
  return new Response(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${name}: ${value}"><rect width="${left}" height="20" fill="#3c4746"/><rect x="${left}" width="${right}" height="20" fill="#00696b"/><g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle"><text x="${left / 2}" y="14">${name}</text><text x="${left + right / 2}" y="14">${value}</text></g></svg>`,
    { headers: { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=300' } },
  );
}
