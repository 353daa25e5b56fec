import { type BestVariant, LIKE_SHAPE, shapeDistance } from '@tilemark/core';
import { opOf, type Problem, shapeText } from '@tilemark/kernels';

const WHOSE: Readonly<Record<BestVariant['fallback'], string>> = {
  device: 'Results of the device itself decided',
  shipped: 'Nothing nearer was ranked here: this variant ships with Tilemark',
  architecture: 'Results of its architecture decided',
  vendor: 'Results of its vendor decided',
  overall: 'Results of all GPUs decided, nothing nearer was ranked',
};

/** Up, so that 2.048 is within a factor of 2.1. */
const ROUNDED_UP = new Intl.NumberFormat('en', {
  maximumSignificantDigits: 2,
  roundingMode: 'ceil',
  useGrouping: false,
});

/** Whose results decided and how far the measured shape is from the asked one, in sentences. */
export function howFound({
  fallback,
  isExact,
  asked,
  measured,
  devices,
  shipped,
}: BestVariant): string {
  const whose = shipped
    ? `measured on ${shipped.device} with ${shipped.driver}`
    : `${devices} ${devices === 1 ? 'device' : 'devices'}`;
  const who = `${WHOSE[fallback]} (${whose}).`;
  if (isExact) return `${who} The asked shape was measured.`;
  const isFar = shapeDistance(asked, measured) > LIKE_SHAPE;
  const factor = ROUNDED_UP.format(largestFactor(asked, measured));
  return `${who} The nearest measured shape is ${shapeText(measured)}: every size of it is within a factor of ${factor} of the asked one${isFar ? '. That is far: measure before you rely on it' : ''}.`;
}

/** By how much the sizes of two shapes differ at most: 2 is twice or half. */
function largestFactor(asked: Problem, measured: Problem): number {
  const sizes = opOf(measured).sizes(measured.shape);
  const factors = opOf(asked)
    .sizes(asked.shape)
    .map((size, index) => {
      const other = sizes[index] ?? Number.NaN;
      return Math.max(size / other, other / size);
    });
  return Math.max(...factors);
}
