import {
  type DeviceIdentity,
  leaderboardSchema,
  type Result,
  type SweepSpec,
} from '@tilemark/core';
import { type OpId, type Shape, shapeText } from '@tilemark/kernels';
import { z } from 'zod';
import { read } from '@/ui/request';
import { benchmarkHere, type QuickState } from './here';

/** How fast a GPU is, in two figures, a matrix product and a copy; or why one was not measured. */
export type Speed = Readonly<Record<'product' | 'copy', Result>>;

/** Tiles for small GPUs, most, and large ones; all fit 16 KiB of workgroup memory. */
const TILES: readonly SweepSpec['cases'][number]['tunables'][] = [
  { BM: [32], BN: [32], TM: [4], TN: [4] },
  {},
  { BM: [128], BN: [128], BK: [8] },
];
const SIDES = { least: 512, usual: 1024, most: 2048 };

const specOf = (n: number, copied: Shape): SweepSpec => ({
  cases: [
    ...TILES.map((tunables) => ({
      ...{ kernel: 'matmul/register-tile', tunables, dtypes: ['f32' as const] },
      shapes: [{ m: n, n, k: n }],
    })),
    { kernel: 'transpose/copy', tunables: {}, shapes: [copied], dtypes: ['f32'] },
  ],
  ...{ profiles: ['default'], policy: 'screen' },
});

/** The square that the most devices of the grid have measured, so that there is a place among them. */
async function usualSide(): Promise<number> {
  const board = await read('/api/v1/leaderboard?op=matmul&dtype=f32', leaderboardSchema);
  const squares = (board?.problems ?? []).flatMap(({ devices, problem }) => {
    const [side = 0, ...others] = new Set(Object.values(problem.shape));
    const isUsual = others.length === 0 && side >= SIDES.least && side <= SIDES.most;
    return isUsual ? [{ devices, side }] : [];
  });
  return squares.toSorted((a, b) => b.devices - a.devices)[0]?.side ?? SIDES.usual;
}

/** Measures it here, on shapes for a GPU or for a CPU. */
export async function speedHere(
  { architecture }: DeviceIdentity,
  version: string,
  onChange: (state: QuickState) => void,
  signal: AbortSignal,
): Promise<Speed> {
  const spec =
    architecture === 'software'
      ? specOf(128, { rows: 384, cols: 512 })
      : // With its copies beyond any cache, and within the memory of a phone.
        specOf(await usualSide(), { rows: 2048, cols: 2048 });
  const results = await benchmarkHere(spec, { version, card: '' }, onChange, signal);
  return { product: fastest(results, 'matmul'), copy: fastest(results, 'transpose') };
}

function fastest(results: readonly Result[], op: OpId): Result {
  const rateOf = ({ rate }: Result) => rate?.value ?? 0;
  const ofOp = results.filter(({ problem }) => problem.op === op);
  const [first] = ofOp.toSorted((a, b) => rateOf(b) - rateOf(a));
  if (!first) throw new Error(`No ${op} was planned.`);
  return first;
}

const rate = z.coerce.number().positive().max(1e9);
/** What the rate of a shared product is of. */
export const PRODUCT = { dtype: 'f32' } as const;

/** What a link says of a GPU. */
const sharedSchema = z.object({
  gpu: z.string().trim().min(1).max(200),
  browser: z.string().max(20),
  product: z.string().regex(/^\d{1,5}(x\d{1,5}){0,2}$/),
  ...{ gflops: rate, gbps: rate },
  isSoftware: z.literal('true').optional(),
});

/** Null: it cannot be read. */
export const sharedIn = (fragment: string): z.infer<typeof sharedSchema> | null =>
  sharedSchema.safeParse(Object.fromEntries(new URLSearchParams(fragment.slice(1)))).data ?? null;

/** The figures in the fragment of an address, which no server sees; null: one is missing. */
export function fragmentOf(
  { copy, product }: Speed,
  { architecture, device, runtime }: DeviceIdentity,
): string | null {
  if (!product.rate || !copy.rate) return null;
  const told = {
    ...{ gpu: device, browser: runtime, product: shapeText(product.problem) },
    gflops: product.rate.value.toPrecision(4),
    gbps: copy.rate.value.toPrecision(4),
    ...(architecture === 'software' && { isSoftware: 'true' }),
  };
  return `#${new URLSearchParams(told)}`;
}
