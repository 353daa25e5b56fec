import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { portability, type VariantTime } from './portability';

const time = (deviceKey: string, address: string, placedNs: number): VariantTime => ({
  deviceKey,
  address,
  placedNs,
});

describe('portability', () => {
  it('is the geometric mean of the parts of the best over the devices that measured it', () => {
    const times = [
      time('a', 'x', 100),
      time('a', 'y', 200),
      time('b', 'x', 400),
      time('b', 'y', 100),
    ];
    const [first, second] = portability(times);
    expect(first).toMatchObject({ address: 'y', devices: 2, isWide: true });
    expect(first?.partOfBest).toBeCloseTo(Math.sqrt(0.5 * 1));
    expect(first?.worst).toEqual({ deviceKey: 'a', partOfBest: 0.5 });
    expect(second?.partOfBest).toBeCloseTo(Math.sqrt(1 * 0.25));
  });

  it('leaves out devices that have not measured a variant, and ranks what few have after the rest', () => {
    const times = [
      ...['a', 'b', 'c'].map((key) => time(key, 'everywhere', 200)),
      time('a', 'once', 100),
    ];
    expect(portability(times)).toMatchObject([
      { address: 'everywhere', devices: 3, isWide: true },
      { address: 'once', devices: 1, partOfBest: 1, isWide: false },
    ]);
  });

  it('knows nothing of nothing', () => {
    expect(portability([])).toEqual([]);
  });

  const times = fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 6 })), {
      selector: ([device, variant]) => `${device} ${variant}`,
    })
    .chain((pairs) =>
      fc.tuple(
        ...pairs.map(([device, variant]) =>
          fc
            .double({ min: 1e-3, max: 1e12, noNaN: true })
            .map((placedNs) => time(`d${device}`, `v${variant}`, placedNs)),
        ),
      ),
    );

  it('is above 0 and at most 1; 1 for a variant that is the best wherever it was measured', async () => {
    await fc.assert(
      fc.property(times, (given) => {
        for (const { address, partOfBest, worst } of portability(given)) {
          expect(partOfBest).toBeGreaterThan(0);
          expect(partOfBest).toBeLessThanOrEqual(1);
          expect(worst.partOfBest).toBeLessThanOrEqual(partOfBest * (1 + 1e-9));
          const isBest = given
            .filter((of) => of.address === address)
            .every((of) =>
              given.every(
                (other) => other.deviceKey !== of.deviceKey || !(other.placedNs < of.placedNs),
              ),
            );
          if (isBest) expect(partOfBest).toBeCloseTo(1, 12);
        }
      }),
    );
  });

  it('follows neither the order of the times nor the pace of a device', async () => {
    await fc.assert(
      fc.property(times, fc.double({ min: 0.01, max: 100, noNaN: true }), (given, pace) => {
        const parts = (of: readonly VariantTime[]) =>
          new Map(portability(of).map((each) => [each.address, each.partOfBest]));
        const slower = given
          .map((of) => (of.deviceKey === 'd0' ? { ...of, placedNs: of.placedNs * pace } : of))
          .toReversed();
        const changed = parts(slower);
        for (const [address, part] of parts(given))
          expect(changed.get(address)).toBeCloseTo(part, 9);
      }),
    );
  });
});
