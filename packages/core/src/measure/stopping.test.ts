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
  rule.start();
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
    expect(samples).toBe(500);
  });

  it.each([20e6, 250e6])('takes at least 50 independent samples, however long (%d ns)', (ns) => {
    const { reason, samples } = run(POLICIES.default, () => ns);
    expect(reason).toBe('converged');
    expect(samples).toBeGreaterThanOrEqual(50);
  });

  it('ends few samples as capped', () => {
    expect(run(POLICIES.default, () => 1e9)).toEqual({ reason: 'capped', samples: 15 });
  });

  it('ends as unsettled a series that stays in a state for as long as it lasts', () => {
    const states = (i: number) => 250e6 * (i < 25 ? 1 : 1.02);
    expect(run(POLICIES.default, states).reason).toBe('unsettled');
    const alike = (i: number) => 250e6 * (i < 25 ? 1 : 1.002);
    expect(run(POLICIES.default, alike).reason).not.toBe('unsettled');
  });

  /** Seeded noise of one spread: the sine of a quadratic phase has no correlation to speak of. */
  const noise = (spread: number) => (i: number) => 20e6 * (1 + spread * Math.sin(i * i));

  it('ends as noisy once ±0.5% is out of reach, the noise is settled, and it can be ranked', () => {
    const { reason, samples } = run(POLICIES.default, noise(0.1));
    expect(reason).toBe('noisy');
    expect(samples).toBeGreaterThan(64);
    expect(samples).toBeLessThan(700);
  });

  it('goes on to 15 s while it could not be ranked', () => {
    const { reason, samples } = run(POLICIES.default, noise(0.7));
    expect(reason).toBe('capped');
    expect(samples).toBeGreaterThan(600);
  });

  it('goes on while samples depend on those before, however little they vary', () => {
    const slow = (i: number) => 20e6 * (1 + 0.02 * Math.sin(i / 40));
    expect(run(POLICIES.default, slow).samples).toBeGreaterThan(300);
  });

  it('ends samples that keep drifting at 15 s of wall time', () => {
    expect(run(POLICIES.default, (i) => 20e6 * 1.01 ** i).reason).toBe('unsettled');
  });

  it('caps by wall time, not by device time', () => {
    let clockNs = 0;
    const rule = stoppingRule(POLICIES.default, () => clockNs);
    rule.start();
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
    rule.start();
    for (let i = 0; i < 5; i++) rule.add({ ns: 1e6, dispatches: 1 });
    expect(rule.finished()).toBe('quick');
    rule.start();
    expect(rule.finished()).toBeNull();
  });
});
