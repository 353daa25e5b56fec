import { createHash } from 'node:crypto';
import { appendFile, truncate } from 'node:fs/promises';
import {
  type Environment,
  METHODOLOGY_VERSION,
  type Outcome,
  outcomeSchema,
  policyIdSchema,
  profileSchema,
  type WantedRun,
} from '@tilemark/core';
import {
  InputError,
  kernelById,
  type Problem,
  shapeText,
  sourceFor,
  type Variant,
} from '@tilemark/kernels';
import { z } from 'zod';
import { atFlag, readIfThere } from '../flags';

/** A line of the file: an outcome with all that could change it. */
const lineSchema = z.object({
  device: z.string(),
  driver: z.string(),
  runtime: z.string(),
  profile: profileSchema,
  methodologyVersion: z.number().int(),
  policy: policyIdSchema,
  problem: z.string(),
  address: z.string(),
  /** SHA-256 of the specialised source; of the address for a host kernel. */
  source: z.string(),
  endedAt: z.iso.datetime(),
  outcome: outcomeSchema,
});
type Line = z.infer<typeof lineSchema>;

/** Trials kept from one tuning to the next. */
export interface TrialCache {
  /** Null if the file has no trial of the same source on the same device. */
  find(run: WantedRun): KnownTrial | null;
  /** On disk when it returns. */
  add(run: WantedRun, outcome: Outcome): Promise<KnownTrial>;
}

/** A trial with the name that it has in every file of results, however often they are written. */
interface KnownTrial {
  readonly runId: string;
  readonly endedAt: string;
  readonly outcome: Outcome;
}

interface CacheScope {
  readonly deviceKey: string;
  readonly environment: Environment;
}

/**
 * Opens a file of trials, one line each; without a path nothing is kept. Throws InputError
 * at `--cache` for a line that is not a trial and for a file of another device. A last line
 * that was cut off while it was written is dropped, with a warning.
 */
export async function openCache(
  path: string | undefined,
  scope: CacheScope,
  warn: (text: string) => void,
): Promise<TrialCache> {
  const text = path === undefined ? '' : ((await readIfThere('--cache', path)) ?? '');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const lines = whole
    .split('\n')
    .slice(0, -1)
    .map((line, index) => parseLine(line, index, path));
  const stranger = lines.find(({ device }) => device !== scope.deviceKey);
  if (stranger) {
    throw new InputError(
      `${path} contains trials of ${stranger.device}, but this is ${scope.deviceKey}: choose another file`,
      '--cache',
    );
  }
  if (path !== undefined && whole.length < text.length) {
    warn(`${path}: the last line was cut off; its trial is measured again`);
    await atFlag('--cache', truncate(path, Buffer.byteLength(whole)));
  }

  const known = new Map(lines.map((line) => [keyOf(line), line]));
  const describe = ({ address, policy, problem, variant }: WantedRun) => ({
    device: scope.deviceKey,
    driver: scope.environment.driver,
    runtime: JSON.stringify(scope.environment.runtimeVersions),
    profile: scope.environment.profile,
    methodologyVersion: METHODOLOGY_VERSION,
    policy,
    problem: `${problem.op} ${shapeText(problem)} ${problem.dtype}`,
    address,
    source: sourceHash(variant, address, problem),
  });
  return {
    find(run) {
      // Nothing is asked for twice of one search: without lines there is nothing to find.
      const line = lines.length > 0 && known.get(keyOf(describe(run)));
      return line ? knownTrial(line) : null;
    },
    async add(run, outcome) {
      const line: Line = {
        ...describe(run),
        endedAt: new Date().toISOString(),
        outcome,
      };
      if (path !== undefined)
        await atFlag('--cache', appendFile(path, `${JSON.stringify(line)}\n`));
      return knownTrial(line);
    },
  };
}

function keyOf({ outcome: _, endedAt: __, ...key }: Partial<Line>): string {
  return JSON.stringify(Object.entries(key).toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Named by what it was and when it ended. */
function knownTrial({ outcome, ...line }: Line): KnownTrial {
  const hash = sha256(keyOf(line) + line.endedAt);
  const runId = [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 32)];
  return { runId: runId.join('-'), endedAt: line.endedAt, outcome };
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function sourceHash({ kernel, tunables }: Variant, address: string, problem: Problem): string {
  const definition = kernelById(kernel);
  const source = definition.runsOn === 'gpu' ? sourceFor(definition, tunables, problem) : address;
  return sha256(source);
}

function parseLine(text: string, index: number, path: string | undefined): Line {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch {
    throw new InputError(
      `line ${index + 1} of ${path} is not a trial: delete that line or choose another file`,
      '--cache',
    );
  }
}
