import { KERNELS } from '@tilemark/kernels';
import { expect, test } from 'vitest';
import { kernelDetail } from '@/server/catalogue';
import { featureText } from './needs';

/** Of WebGPU, of WGSL, and of Chromium's experiments. */
const FEATURES =
  /^(shader-f16|subgroups|packed_4x8_integer_dot_product|chromium-experimental-[a-z-]+)$/;

test('no page names a feature that WebGPU does not have', () => {
  for (const { id, dtypes } of KERNELS.filter(({ runsOn }) => runsOn === 'gpu')) {
    for (const dtype of dtypes) {
      for (const name of kernelDetail(id, { dtype }).needs?.features ?? []) {
        const text = featureText(name);
        expect(
          FEATURES.test(text) ||
            /^subgroups of \d+ threads$|^\w+ to \w+ matrices of [\dx]+$/.test(text),
          text,
        ).toBe(true);
      }
    }
  }
});
