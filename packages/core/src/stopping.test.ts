import { describe, expect, it } from 'vitest';
import type { StopReason } from './outcome';
import { POLICIES, type Policy } from './policy';
import { stoppingRule } from './stopping';

/** Feeds a series of samples to the rule under a clock that moves by their time alone. */
function run(
  policy: Policy,
  sampleNs: (index: number) => number,
  dispatches = 1,
): { reason: StopReason; samples: number } {
  let clockNs = 1e9;
  const rule = stoppingRule(policy, () => clockNs);
  rule.begin();
  for (let index = 0; index < 100_000; index++) {
    const reason = rule.finished();
    if (reason) return { reason, samples: index };
    const ns = sampleNs(index);
    clockNs += ns;
    rule.add({ ns, dispatches });
  }
  throw new Error('the rule never ended the series');
}

/** Repeats a pattern of relative deviations around 1. */
const wobble = (pattern: readonly number[]) => (index: number) =>
  1 + (pattern[index % pattern.length] ?? 0);

describe('stoppingRule', () => {
  it('converges on steady samples once it has 0.5 s of them', () => {
    const { reason, samples } = run(POLICIES.default, () => 1e6);
    expect(reason).toBe('converged');
    expect(samples).toBeGreaterThanOrEqual(500);
    // It looks every 16 samples.
    expect(samples).toBeLessThan(520);
  });

  it('takes at least 30 samples however long they are', () => {
    expect(run(POLICIES.default, () => 100e6)).toEqual({ reason: 'converged', samples: 30 });
  });

  it('is content with 10 samples over 200 ms', () => {
    expect(run(POLICIES.default, () => 300e6)).toEqual({ reason: 'converged', samples: 10 });
  });

  it('calls a settled CV of 5% noisy', () => {
    const noise = wobble([-0.05, 0.05]);
    const { reason, samples } = run(POLICIES.default, (i) => 20e6 * noise(i));
    expect(reason).toBe('noisy');
    expect(samples).toBeGreaterThan(64);
  });

  it('goes on while the CV is inside but the interval is too wide', () => {
    const noise = wobble([-0.019, 0.019]);
    // Two clusters: the interval of the median spans both however many samples there are.
    expect(run(POLICIES.default, (i) => 20e6 * noise(i)).reason).toBe('capped');
  });

  it('ends samples that keep drifting at 15 s of wall time', () => {
    const { reason, samples } = run(POLICIES.default, (i) => 20e6 * 1.01 ** i);
    expect(reason).toBe('capped');
    expect(samples).toBeGreaterThan(64);
  });

  it('caps by wall time, not by device time', () => {
    let clockNs = 0;
    const rule = stoppingRule(POLICIES.default, () => clockNs);
    rule.begin();
    rule.add({ ns: 1e6, dispatches: 1 });
    expect(rule.finished()).toBeNull();
    clockNs = 15e9;
    expect(rule.finished()).toBe('capped');
  });

  it('ends the smoke policy after 5 samples of any kind', () => {
    const wild = wobble([0, 5, 50]);
    expect(run(POLICIES.smoke, (i) => 1e6 * wild(i))).toEqual({ reason: 'quick', samples: 5 });
  });

  it('forgets the series before', () => {
    const rule = stoppingRule(POLICIES.smoke, () => 0);
    rule.begin();
    for (let i = 0; i < 5; i++) rule.add({ ns: 1e6, dispatches: 1 });
    expect(rule.finished()).toBe('quick');
    rule.begin();
    expect(rule.finished()).toBeNull();
  });
});
