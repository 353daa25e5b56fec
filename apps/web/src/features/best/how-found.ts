import { type BestVariant, shapeDistance } from '@tilemark/core';
import { shapeText } from '@tilemark/kernels';

const WHOSE: Readonly<Record<BestVariant['fallback'], string>> = {
  device: 'Results of the device itself decided',
  architecture: 'Results of its architecture decided',
  vendor: 'Results of its vendor decided',
  overall: 'Results of all GPUs decided, nothing nearer was ranked',
};

/** Whose results decided and how far the measured shape is from the asked one, in sentences. */
export function howFound({ fallback, isExact, asked, measured, devices }: BestVariant): string {
  const who = `${WHOSE[fallback]} (${devices} ${devices === 1 ? 'device' : 'devices'}).`;
  if (isExact) return `${who} The asked shape was measured.`;
  const doublings = shapeDistance(asked, measured);
  return `${who} The nearest measured shape is ${shapeText(measured)}, ${doublings.toFixed(1)} doublings away${doublings > 2 ? ': far, so measure before you rely on it' : ''}.`;
}
