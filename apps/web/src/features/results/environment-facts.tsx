import type { Environment } from '@tilemark/core';
import { Facts } from '@/ui/facts';
import { formatBytes } from '@/ui/format';
import { Panel } from '@/ui/page';

/** Everything that could have changed the number. */
export function EnvironmentFacts({ environment }: { environment: Environment }) {
  const { cpu, device, driver, memoryBytes, os, profile, runtimeVersions, toggles } = environment;
  return (
    <Panel>
      <Facts
        columns={2}
        facts={[
          { name: 'Vendor', value: device.vendor },
          { name: 'Architecture', value: device.architecture || '–' },
          { name: 'Driver', value: driver || '–' },
          { name: 'Backend', value: `${device.backend} (${device.runtime})` },
          { name: 'Operating system', value: os },
          { name: 'Processor', value: `${cpu.model}, ${cpu.cores} cores` },
          { name: 'Memory', value: formatBytes(memoryBytes) },
          { name: 'Tilemark', value: environment.tilemarkVersion },
          ...Object.entries(runtimeVersions).map(([name, value]) => ({ name, value })),
        ]}
      />
      <div className="border-t border-line px-4 py-2.5 text-[0.8125rem]">
        <h3 className="mb-1 font-normal text-muted">Toggles of profile {profile}</h3>
        <p className="font-mono text-xs leading-5 break-words">
          {[
            ...toggles.enabled.map((toggle) => `+${toggle}`),
            ...toggles.disabled.map((toggle) => `−${toggle}`),
          ].join('  ') || 'none'}
        </p>
      </div>
    </Panel>
  );
}
