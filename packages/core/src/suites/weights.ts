import type { Dtype, MatmulShape } from '@tilemark/kernels';
import { LANGUAGE_MODELS } from '../plan/families';
import { caseOf, type Suite, sweepOf } from './suite';

/** Models whose layers are measured: two sizes and vocabularies that programs run today. */
const MODELS: readonly string[] = ['Llama-3.1-8B', 'Qwen2.5-7B'];

/** Weights by rows, in halves and in blocks. */
const DTYPES: Dtype[] = ['f16-nt', 'f16-q8', 'f16-q4'];

/** Activations in blocks of bytes too, which packed dot products multiply. */
const BYTES: Dtype = 'q8-q8';

/** Distinct layers of the models, their output layers too. */
function layers(tokens: readonly number[]): MatmulShape[] {
  const all = LANGUAGE_MODELS.filter(({ name }) => MODELS.includes(name)).flatMap((model) =>
    [...model.layers, model.output].map(({ k, n }) => ({ n, k })),
  );
  const distinct = new Map(all.map((layer) => [`${layer.n}x${layer.k}`, layer])).values();
  return [...distinct].flatMap(({ n, k }) => tokens.map((m) => ({ m, n, k })));
}

export const decode: Suite<never> = {
  id: 'decode',
  version: 2,
  title: 'Decode',
  about:
    'One to eight tokens through the layers of Llama 3.1 8B and Qwen 2.5 7B, weights by rows in f16, q8_0, and q4_0, and q8_0 times q8_0',
  params: [],
  spec: () => ({
    ...sweepOf(
      [1, 2, 4, 8].map((tokens) =>
        caseOf('matmul/rows-of-weights', { ROWS: [tokens] }, layers([tokens]), [...DTYPES, BYTES]),
      ),
    ),
    profiles: ['default', 'fast'],
  }),
};

const PROMPTS = [32, 128, 512, 2048];

/** Its sums are kept twice, so that a thread has fewer. */
const BYTE_TILE = { BM: [64], BN: [64], TN: [8], UNROLL: [8], LANES_DOWN: [4] };

export const prefill: Suite<never> = {
  id: 'prefill',
  version: 3,
  title: 'Prefill',
  about:
    'Prompts of 32 to 2,048 tokens through the same layers: tiles and subgroup matrices that decode weights as they stage them, and packed dot products of q8_0',
  params: [],
  spec: () => ({
    ...sweepOf([
      caseOf('matmul/warp-tile', {}, layers(PROMPTS), DTYPES),
      caseOf('matmul/subgroup-matrix', { PREFETCH: ['off', 2] }, layers(PROMPTS), DTYPES),
      caseOf('matmul/warp-tile', BYTE_TILE, layers(PROMPTS), [BYTES]),
    ]),
    profiles: ['default', 'fast'],
  }),
};
