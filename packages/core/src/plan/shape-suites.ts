import type { OpId, Shape } from '@tilemark/kernels';
import { FAMILIES, LANGUAGE_MODELS } from './families';
import { MAX_SHAPES } from './shapes';

/** A list of shapes to choose from: a model's layers at decode or prefill, or a family. */
interface ShapeSuite {
  readonly id: string;
  readonly title: string;
  readonly op: OpId;
  readonly shapes: readonly Shape[];
}

const PHASES = [
  ['decode', 1],
  ['prefill', 512],
] as const;

export const SHAPE_SUITES: readonly ShapeSuite[] = [
  ...LANGUAGE_MODELS.flatMap(({ name, layers }) =>
    PHASES.map(([phase, m]) => ({
      id: `${name}-${phase}`.toLowerCase(),
      title: `${name}, ${phase} (M = ${m})`,
      op: 'matmul' as const,
      shapes: [...new Map(layers.map(({ k, n }) => [`${k} ${n}`, { m, n, k }])).values()],
    })),
  ),
  ...FAMILIES.filter(({ shapes }) => shapes.length <= MAX_SHAPES),
];
