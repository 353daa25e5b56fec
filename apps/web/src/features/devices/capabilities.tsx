import type { Device } from '@tilemark/core';
import { Facts } from '@/ui/facts';
import { formatBytes, formatCount } from '@/ui/format';
import { Panel } from '@/ui/page';

/** What the device allows a kernel: the limits that decide what is skipped on it. */
export function Capabilities({ device }: { device: Device }) {
  const { capabilities: limits, class: of } = device;
  if (of === 'cpu') {
    return (
      <Panel className="px-4 py-3 text-[0.8125rem] text-muted">
        The host CPU runs the baselines written in TypeScript; no limits of a GPU apply.
      </Panel>
    );
  }
  return (
    <Panel>
      <Facts
        columns={2}
        facts={[
          {
            name: 'Invocations a workgroup',
            value: formatCount(limits.maxComputeInvocationsPerWorkgroup),
          },
          {
            name: 'Workgroup size',
            value: [
              limits.maxComputeWorkgroupSizeX,
              limits.maxComputeWorkgroupSizeY,
              limits.maxComputeWorkgroupSizeZ,
            ]
              .map(formatCount)
              .join(' × '),
          },
          { name: 'Workgroup memory', value: formatBytes(limits.maxComputeWorkgroupStorageSize) },
          {
            name: 'Workgroups a dimension',
            value: formatCount(limits.maxComputeWorkgroupsPerDimension),
          },
          { name: 'Storage binding', value: formatBytes(limits.maxStorageBufferBindingSize) },
          { name: 'Buffer', value: formatBytes(limits.maxBufferSize) },
        ]}
      />
      <div className="border-t border-line px-4 py-2.5 text-[0.8125rem]">
        <h3 className="mb-1 font-normal text-muted">Features</h3>
        <p className="font-mono text-xs leading-5 break-words">
          {limits.features.toSorted().join('  ') || 'none'}
        </p>
      </div>
    </Panel>
  );
}
