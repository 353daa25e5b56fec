import type { DeviceIdentity } from '@tilemark/core';
import { Notice } from '@/ui/notice';

const SOFTWARE =
  'The browser computes on the CPU, so this measures the CPU. For the GPU, turn on hardware acceleration in the browser’s settings and update the graphics driver.';

/** What a visitor should know of figures from this GPU. */
export function Caveats({
  adapter: { features, limits },
  identity,
}: {
  adapter: Pick<GPUAdapter, 'features' | 'limits'>;
  identity: DeviceIdentity;
}) {
  const caveats = [
    identity.architecture === 'software' && SOFTWARE,
    !features.has('timestamp-query') &&
      'This browser does not expose the GPU’s clock: results are timed by the wall clock and are not ranked.',
    limits.maxComputeWorkgroupStorageSize <= 16_384 &&
      'This GPU offers 16 KiB of workgroup memory: larger tiles, which may be faster, do not fit.',
  ].filter((text) => text !== false);
  return caveats.map((text) => (
    <Notice key={text} tone={text === SOFTWARE ? 'amber' : 'neutral'} className="mt-2">
      {text}
    </Notice>
  ));
}
