import type { DeviceCapabilities, DeviceIdentity } from '@tilemark/core';

/**
 * Whether a variant can be compiled while another is measured: on a GPU that keeps its own
 * time. Elsewhere the host's work would be in the samples.
 */
export function compilesAhead({
  identity,
  capabilities,
}: {
  readonly identity: Pick<DeviceIdentity, 'class'>;
  readonly capabilities: Pick<DeviceCapabilities, 'features'>;
}): boolean {
  return identity.class === 'gpu' && capabilities.features.includes('timestamp-query');
}
