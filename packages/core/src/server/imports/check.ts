import { feasible, InputError, isContributed, resolveVariant } from '@tilemark/kernels';
import type { BenchFile, Result } from '../../api/api';
import { judge } from '../../gate/judge';
import { Refused } from '../../link/link';
import type { DeviceClass, Environment, Profile } from '../../measure/device';
import { deviceKey } from '../../measure/hardware';
import type { RooflineSurvey } from '../../measure/roofline';
import type { ImportedResult } from '../store/sweeps/import';

/** The grid's facts that an import is checked against. */
interface ImportContext {
  readonly now: Date;
  /** By device key, what the grid itself knows about the devices in the file. */
  readonly devices: ReadonlyMap<string, GridDevice>;
  /** The contributed kernel whose source came along. */
  readonly own?: string | undefined;
}

export interface GridDevice {
  readonly class: DeviceClass;
  readonly roofs: ReadonlyMap<Profile, RooflineSurvey>;
}

/**
 * A result of a file as it may be kept; null if it has not ended. The address is computed again,
 * and the outcome is judged as a worker's is (gate/judge.ts).
 *
 * @throws InputError naming the field at fault, `results[3].variant.tunables.TILE`
 */
export function importedRun(
  file: BenchFile,
  index: number,
  { now, devices, own }: ImportContext,
): ImportedResult | null {
  const result = file.results[index];
  if (!result?.outcome) return null;
  const { problem, profile, policy, device } = result;
  const field = `results[${index}]`;
  const environment = environmentOf(file, result, field);
  const { kernel, tunables, address } = checkedVariant(result, environment, field, own);
  const ours = devices.get(device.key);
  if (ours && ours.class !== environment.device.class) {
    throw new InputError(
      `The grid knows ${device.key} as ${ours.class}, the file as ${environment.device.class}.`,
      `${field}.device.class`,
    );
  }
  const deviceClass = environment.device.class;
  const outcome = judge(
    result.outcome,
    { variant: { kernel, tunables }, problem, policy, deviceClass, seed: null, wgsl: undefined },
    ours?.roofs.get(profile),
  );
  if (outcome instanceof Refused) {
    throw new InputError(outcome.message, `${field}.${outcome.field}`);
  }
  return {
    run: {
      variant: { kernel, tunables },
      address,
      problem,
      profile,
      policy,
      deviceKey: device.key,
    },
    environment,
    outcome,
    endedAt: checkedEnd(result, now, field),
  };
}

function environmentOf(file: BenchFile, { device, profile }: Result, field: string): Environment {
  const environment = [file.environment, ...file.environments].find(
    (entry) => deviceKey(entry.device) === device.key && entry.profile === profile,
  );
  if (environment) return environment;
  throw new InputError(
    `The file contains no environment of device ${device.key} with profile ${profile}.`,
    `${field}.device.key`,
  );
}

function checkedVariant(
  { variant, problem, outcome }: Result,
  { capabilities, device }: Environment,
  field: string,
  own: string | undefined,
) {
  if (isContributed(variant.kernel) && variant.kernel !== own) {
    throw new InputError(
      `${variant.kernel} is a contributed kernel. Results of contributed kernels cannot be imported: without the source nobody here could check or repeat them. To have them on this grid, submit the kernel: \`tilemark submit FILE.wgsl\`.`,
      `${field}.variant.kernel`,
    );
  }
  const resolved = resolveVariant(variant.kernel, variant.tunables, `${field}.variant`);
  const { definition } = resolved;
  if (definition.op !== problem.op) {
    throw new InputError(`${definition.id} does not compute ${problem.op}.`, `${field}.problem.op`);
  }
  const isHost = device.class === 'cpu';
  if (isHost !== (definition.runsOn === 'cpu')) {
    const where = isHost ? 'the host' : 'a GPU';
    throw new InputError(`${definition.id} does not run on ${where}.`, `${field}.variant.kernel`);
  }
  const runs = feasible(resolved, problem, capabilities);
  if (outcome?.kind === 'measured' && !runs.ok) {
    throw new InputError(`It cannot have been measured: ${runs.why}.`, `${field}.outcome.kind`);
  }
  return resolved;
}

/** A file without times counts as now; a clock may be a minute ahead. */
function checkedEnd({ endedAt }: Result, now: Date, field: string): string {
  if (!endedAt) return now.toISOString();
  if (Date.parse(endedAt) <= now.getTime() + 60_000) return endedAt;
  throw new InputError(`${endedAt} is in the future.`, `${field}.endedAt`);
}
