import { InputError, parseProblem, variantAddress } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import type { ProblemRequest } from '../api/tuning';
import { capabilities, identity } from '../server/store/fixtures.test-helper';
import { type Contrast, verdictOn } from '../statistics/verdict';
import { drive, type TrialOutcome, type WantedSpec } from './protocol';
import { firstOf, isAskedFor, type TunableDevice, tuningSpaces } from './request';
import { searchOf } from './search';
import type { Point } from './space';
import { atOnce } from './spaces';

const SECOND = 1e9;
const problem = parseProblem({ op: 'transpose', shape: '1024x512', dtype: 'f32' });
const device: TunableDevice = { key: 'one', name: 'One', class: 'gpu', capabilities };
const request: ProblemRequest = { problem, profile: 'default', seed: 7, budgetSeconds: 60 };
const spaces = tuningSpaces(request, device);

/** A time that has one minimum over numbers, by how far they are from 16, and differs by kernel. */
function costOf({ address }: Pick<Point, 'address'>): number {
  const numbers = [...address.matchAll(/=(\d+)/g)].map(([, number]) => Number(number));
  const far = numbers.reduce((sum, number) => sum + Math.abs(Math.log2(number / 16)), 0);
  return 1000 * (1 + far / 4 + address.length / 1000);
}

const measured = ({ address }: Pick<Point, 'address'>): TrialOutcome => {
  const medianNs = costOf({ address });
  const cold = { medianNs, lowNs: 0.99 * medianNs, highNs: 1.01 * medianNs };
  return { kind: 'measured', measurement: { cold, unranked: null } };
};
const duelOf = (a: string, b: string): Contrast => {
  const ratio = costOf({ address: b }) / costOf({ address: a });
  return verdictOn(ratio, 0.999 * ratio, 1.001 * ratio);
};

/** Searches with a clock that runs alone move on; what was run, in order. */
async function searched(
  of: Partial<ProblemRequest> = {},
  end: (
    run: WantedSpec,
    at: number,
  ) => { readonly outcome?: TrialOutcome; readonly spentNs?: number } = () => ({}),
) {
  let nowNs = 0;
  const runs: (WantedSpec & { readonly outcome: TrialOutcome })[] = [];
  const search = searchOf({ ...request, ...of }, device, {
    nowNs: () => nowNs,
    identity: identity('One'),
    chosen: () => null,
  });
  const decision = await drive(search, async ({ run }) => {
    const { outcome = measured(run), spentNs = SECOND } = end(run, runs.length);
    nowNs += spentNs;
    runs.push({ ...run, outcome });
    const contrast = run.rival ? duelOf(run.address, variantAddress(run.rival.variant)) : null;
    return { outcome, contrast };
  });
  const screens = runs.filter(({ policy }) => policy === 'screen');
  return { decision, runs, screens };
}

describe('searchOf', () => {
  it('gives the least of what it has screened, in its time', async () => {
    const { decision, screens } = await searched();
    expect(decision).toMatchObject({ stop: 'budget', shapes: null });
    expect(screens).toHaveLength(42);
    const least = Math.min(...screens.map(costOf));
    expect(costOf({ address: decision.winner ?? '' })).toBe(least);
    expect((await searched({}, () => ({ spentNs: SECOND / 2 }))).screens).toHaveLength(84);
    expect((await searched({}, () => ({ spentNs: 100 * SECOND }))).screens).toHaveLength(1);
  });

  it('goes on past runs that fail, are skipped or wrong, and names none of them', async () => {
    const bad = (['failed', 'skipped', 'incorrect'] as const).map((kind) => ({ kind }));
    const { decision, runs } = await searched({}, (_, at) =>
      at % 2 === 0 ? { outcome: bad[at % 3] ?? { kind: 'failed' } } : {},
    );
    const winners = runs.filter(({ address }) => address === decision.winner);
    expect(winners.some(({ outcome }) => outcome.kind === 'measured')).toBe(true);
    const none = await searched({ kernel: 'transpose/vec4', budgetSeconds: 1e6 }, () => ({
      outcome: { kind: 'failed' },
    }));
    expect(none.decision).toMatchObject({ winner: null, stop: 'exhausted' });
  });

  it('asks for nothing that the gate refuses as not asked for, and begins with the first', async () => {
    const { runs } = await searched();
    const { point } = atOnce(firstOf(request, device));
    expect(runs[0]?.address).toBe(point.address);
    const isAsked = ({ rival, ...run }: WantedSpec) =>
      isAskedFor(request, { ...run, profile: 'default' }, rival?.variant);
    expect(runs.every(isAsked)).toBe(true);
    expect(runs.some(({ rival }) => rival !== undefined)).toBe(true);
    const [run] = runs;
    if (!run) throw new Error('nothing ran');
    for (const wrong of [
      { policy: 'smoke' as const },
      { problem: { ...problem, epilogue: 'relu' as const } },
      { variant: { kernel: 'transpose/nobody', tunables: {} } },
      { variant: { kernel: 'transpose/naive', tunables: { BLOCK: 5 } } },
      { rival: { variant: { kernel: 'matmul/naive', tunables: {} } } },
    ]) {
      expect(isAsked({ ...run, ...wrong } as WantedSpec), JSON.stringify(wrong)).toBe(false);
    }
    const alone = { ...request, kernel: 'transpose/tiled' };
    const naive = { variant: { kernel: 'transpose/naive', tunables: {} } };
    expect(isAskedFor(alone, { ...run, ...naive, profile: 'default' }, undefined)).toBe(false);
  });
});

describe('tuningSpaces', () => {
  it.each([
    ['device', {}, { class: 'cpu' }],
    ['profile', { profile: 'fast' }, { class: 'browser' }],
    ['problem.dtype', { problem: { ...problem, dtype: 'f16acc16' } }, {}],
    [
      'problem.shape',
      { problem: parseProblem({ op: 'transpose', shape: '16384', dtype: 'f32' }) },
      {},
    ],
    ['problem.dtype', { problem: { ...problem, dtype: 'f16' } }, {}],
    ['device', {}, { capabilities: { ...capabilities, maxComputeWorkgroupsPerDimension: 1 } }],
  ] as [string, Partial<ProblemRequest>, Partial<TunableDevice>][])(
    'refuses at %s',
    (field, asked, over) => {
      const found = () => tuningSpaces({ ...request, ...asked }, { ...device, ...over });
      expect(found).toThrow(InputError);
      expect(found).toThrow(expect.objectContaining({ field }));
    },
  );

  it('leaves out what only copies, computes less exactly, or runs on the host', () => {
    const ids = tuningSpaces(
      { ...request, problem: parseProblem({ op: 'matmul', shape: '256', dtype: 'f32' }) },
      device,
    ).map(({ kernel }) => kernel.id);
    expect(ids).toContain('matmul/tiled');
    expect(ids).not.toContain('matmul/strassen');
    expect(ids.filter((id) => id.includes('cpu'))).toEqual([]);
    expect(spaces.map(({ kernel }) => kernel.id)).not.toContain('transpose/copy');
  });
});
