import { InputError, resolveVariant } from '@tilemark/kernels';
import type { BenchFile, Counts, RunResult } from '../api';
import { deviceKey } from '../device';
import type { Environment } from '../environment';
import type { PlannedRun } from '../expand';
import type { Outcome } from '../outcome';
import type { SweepSpec } from '../spec';
import type { Principal, Store } from './store';
import { canonicalJson, sha256 } from './store/hash';

/** A result of a file with what it was measured in. */
interface Imported {
  readonly run: PlannedRun;
  readonly outcome: Outcome;
  readonly environment: Environment;
}

/**
 * Keeps the results of `tilemark bench --json` as a finished sweep, under the name
 * of who brought them. The same file brought twice is kept once.
 *
 * @param file a body that `benchFileSchema` has accepted
 * @throws InputError naming the field at fault; DatabaseUnavailable
 */
export async function importResults(
  { store }: { readonly store: Store },
  file: BenchFile,
  principal: Pick<Principal, 'name'>,
): Promise<{ id: string; counts: Counts }> {
  const imported = file.results.flatMap((result, index) => importedOf(file, result, index));
  const [first] = imported;
  if (!first) throw new InputError('The file holds no result that has ended.', 'results');

  const workers = new Map<string, string>();
  try {
    for (const { run, environment } of imported) {
      if (workers.has(run.deviceKey)) continue;
      const { workerId } = await store.workers.attach({
        name: `import by ${principal.name}`,
        host: environment.os,
        version: environment.tilemarkVersion,
        identity: environment.device,
        capabilities: environment.capabilities,
      });
      workers.set(run.deviceKey, workerId);
    }
    const { sweep, runs } = await store.sweeps.create({
      name: `Import of ${first.environment.device.device}`.slice(0, 120),
      suite: null,
      spec: specOf(imported),
      runs: imported.map(({ run }) => run),
      createdBy: principal.name,
      idempotencyKey: `import ${sha256(canonicalJson(file))}`,
    });
    const endedAt = new Date().toISOString();
    for (const [index, { id }] of runs.entries()) {
      const { run, outcome, environment } = imported[index] ?? first;
      const workerId = workers.get(run.deviceKey) ?? '';
      await store.runs.record({ runId: id, workerId, environment, wgsl: null, outcome, endedAt });
    }
    const { counts } = (await store.sweeps.get(sweep.id)) ?? sweep;
    return { id: sweep.id, counts };
  } finally {
    for (const workerId of workers.values()) await store.workers.detach(workerId);
  }
}

function importedOf(file: BenchFile, result: RunResult, index: number): Imported[] {
  const { outcome, problem, profile, policy, device, variant } = result;
  if (!outcome) return [];
  const field = `results[${index}]`;
  const { tunables, address, definition } = resolveVariant(
    variant.kernel,
    variant.tunables,
    `${field}.variant`,
  );
  if (definition.op !== problem.op) {
    throw new InputError(`${definition.id} does not compute ${problem.op}.`, `${field}.problem.op`);
  }
  const environment = [file.environment, ...file.environments].find(
    (each) => deviceKey(each.device) === device.key && each.profile === profile,
  );
  if (!environment) {
    throw new InputError(
      `The file holds no environment of device ${device.key} with profile ${profile}.`,
      `${field}.device.key`,
    );
  }
  const run = { variant: { kernel: variant.kernel, tunables }, address, problem, profile, policy };
  return [{ run: { ...run, deviceKey: device.key }, outcome, environment }];
}

/** A spec that asks for what the file holds, for the page of the sweep. */
function specOf(imported: readonly Imported[]): SweepSpec {
  const runs = imported.map(({ run }) => run);
  return {
    cases: distinct(runs.map((run) => run.variant.kernel)).map((kernel) => {
      const problems = runs
        .filter((run) => run.variant.kernel === kernel)
        .map((run) => run.problem);
      return {
        kernel,
        tunables: {},
        shapes: distinct(problems.map((problem) => problem.shape)),
        dtypes: distinct(problems.map((problem) => problem.dtype)),
      };
    }),
    profiles: distinct(runs.map((run) => run.profile)),
    policy: runs[0]?.policy ?? 'default',
  };
}

const distinct = <T>(items: readonly T[]): T[] => [
  ...new Map(items.map((item) => [canonicalJson(item), item])).values(),
];
