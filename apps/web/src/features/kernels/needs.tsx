import type { KernelNeeds } from '@tilemark/core';
import { featureText } from '@tilemark/kernels';
import type { Fact } from '@/ui/facts';
import { formatBytes, formatCount } from '@/ui/format';

/** What a variant needs from a device. */
export const needsFacts = (needs: KernelNeeds): Fact[] => [
  { name: 'Workgroup size', value: needs.workgroupSize.join(' × ') },
  { name: 'Workgroup memory', value: formatBytes(needs.workgroupBytes) },
  { name: 'Features', value: needs.features.map(featureText).join(', ') || 'none' },
  { name: 'Limits to request', value: <Limits of={needs} /> },
];

/** The limits beyond those that every device has without asking (WebGPU, 3.6.2), with what is needed. */
function Limits({ of: { workgroupSize, workgroupBytes } }: { of: KernelNeeds }) {
  const [x = 1, y = 1, z = 1] = workgroupSize;
  const needed = [
    ['maxComputeWorkgroupStorageSize', workgroupBytes, 16_384],
    ['maxComputeInvocationsPerWorkgroup', x * y * z, 256],
    ['maxComputeWorkgroupSizeX', x, 256],
    ['maxComputeWorkgroupSizeY', y, 256],
    ['maxComputeWorkgroupSizeZ', z, 64],
  ] as const;
  const beyond = needed.filter(([, value, usual]) => value > usual);
  if (beyond.length === 0) return 'none';
  return beyond.map(([name, value]) => (
    <span key={name} className="block">
      {name} {formatCount(value)}
    </span>
  ));
}
