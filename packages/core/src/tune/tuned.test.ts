import { brokenConstraints, opOf, parseVariant } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { expand } from '../plan/expansion';
import { suiteSpec } from '../suites/suites';
import { tunedCases, tunedFiles } from './tuned';

const variants = tunedFiles().flatMap((file) =>
  file.variants.map((variant) => [`${variant.address} on ${file.device.device}`, variant] as const),
);

describe('tuned variants', () => {
  it.each(variants)('%s exists, fits together and says how it was found', (_name, variant) => {
    const { definition, tunables } = parseVariant(variant.address);
    expect(brokenConstraints(definition, tunables)).toEqual([]);
    expect(definition.op).toBe(variant.problem.op);
    expect(variant.lowNs).toBeLessThanOrEqual(variant.medianNs);
    expect(variant.medianNs).toBeLessThanOrEqual(variant.highNs);
  });

  it('are in the peak suite, on devices like the one they are of and no other', () => {
    const runsOf = (key: string) =>
      expand(suiteSpec('peak', { n: 8192 }), [{ key, class: 'gpu' }]).map(
        ({ address, problem }) => `${address} ${opOf(problem).sides(problem.shape)}`,
      );
    const shipped = tunedFiles()
      .flatMap(({ device, variants }) => (device.device === 'NVIDIA H200' ? variants : []))
      .find(
        ({ problem }) => problem.dtype === 'f32' && opOf(problem).sides(problem.shape)[2] === 8192,
      );
    const tuned = `${parseVariant(shipped!.address).address} 8192,8192,8192`;
    expect(runsOf('nvidia-unknown-nvidia_h200-vulkan-dawn')).toContain(tuned);
    expect(runsOf('nvidia-unknown-nvidia_h200-vulkan-dawn')).toContain(
      `${parseVariant('matmul/warp-tile').address} 8192,8192,8192`,
    );
    expect(runsOf('nvidia-unknown-nvidia_a100-vulkan-dawn')).not.toContain(tuned);
  });

  it('leave out what is larger than asked for', () => {
    expect(tunedCases(1)).toEqual([]);
    expect(tunedCases(2048).length).toBeLessThan(tunedCases(16_384).length);
  });
});
