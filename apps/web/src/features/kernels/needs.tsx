import { type KernelNeeds, limitsBeyond, limitsOf } from '@tilemark/core';
import { featureText } from '@tilemark/kernels';
import type { Fact } from '@/ui/facts';
import { formatBytes, formatCount } from '@/ui/format';

/** What a variant needs from a device; the limits with those of its buffers, where the problem is known. */
export const needsFacts = (needs: KernelNeeds, limits = limitsOf(needs)): Fact[] => [
  { name: 'Workgroup size', value: needs.workgroupSize.join(' × ') },
  { name: 'Workgroup memory', value: formatBytes(needs.workgroupBytes) },
  { name: 'Features', value: needs.features.map(featureText).join(', ') || 'none' },
  { name: 'Limits to request', value: <Limits of={limitsBeyond(limits)} /> },
];

function Limits({ of: beyond }: { of: readonly [name: string, value: number][] }) {
  if (beyond.length === 0) return 'none';
  return beyond.map(([name, value]) => (
    <span key={name} className="block">
      {name} {formatCount(value)}
    </span>
  ));
}
