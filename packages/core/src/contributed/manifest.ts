/**
 * Contributed kernels: a WGSL file by anybody, which becomes the same value as a kernel of ours, so
 * that planning, measuring, verification, duels, the tuner, and the store need no second way.
 *
 * - manifest.ts    what a file says about itself, and the limits of a file; file.ts finds and reads it
 * - expression.ts  numbers written with the names of tunables and dimensions: `BM * BN`
 * - source.ts      what the WGSL declares, each with its place: tokens.ts divides it, and layout.ts
 *                  has where the numbers of a type lie
 * - bindings.ts    which of its variables are which tensors, and what the others are filled with
 * - body.ts        the source as it runs: bound as Tilemark binds, with tunables and sizes in place
 * - names.ts       what formulas may name, and the shapes that a kernel takes
 * - dispatch.ts    how many workgroups run
 * - kernel.ts      file and manifest become a kernel, whose id ends with the hash of both
 * - guess.ts       what a manifest leaves out, guessed once from the source and written down; all else
 *                  reads what is written
 * - battery.ts     what a kernel is checked on before it is published
 * - template.ts    the file that `tilemark kernel new` writes
 *
 * WGSL can name no host, file, or clock, so what is left to guard is time, memory, and the truth of
 * the result. docs/bring.md is the guide for authors.
 */

import type { GpuKernel, KernelFile } from '@tilemark/kernels';
import { z } from 'zod';
import { MAXIMA, word } from '../schema/maxima';
import { dtypeSchema, epilogueSchema, opSchema } from '../schema/op';

/** Limits of one file; each has an answer of its own. */
export const KERNEL_LIMITS = {
  sourceBytes: 256 * 1024,
  manifestBytes: 32 * 1024,
  tunables: 16,
  valuesPerTunable: 64,
  /** In one sweep. */
  variants: 64,
} as const;

export const MOST_PLACEHOLDERS = 64;

const expression = z
  .union([z.number().int().min(0), z.string().min(1).max(200)])
  .describe(
    'A whole number or a formula: "BM * BN". / rounds down; in `workgroups` it rounds up unless the formula has + or -. "ceil(n / 16)" always rounds up.',
  );

const slug = (what: string) =>
  z
    .string()
    .regex(
      /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
      `${what} is 1 to 40 of a-z, 0-9 and -, with no - at either end`,
    );

/** The name of a contributed kernel. */
export const kernelNameSchema = slug('a name');

const identifier = z.string().regex(/^[A-Za-z_]\w{0,39}$/, 'must be a WGSL name');

const tunableSchema = z.strictObject({
  values: z
    .array(
      z.union([
        z
          .number()
          .int()
          .min(0)
          .max(2 ** 31),
        slug('a word'),
      ]),
    )
    .min(1)
    .max(KERNEL_LIMITS.valuesPerTunable),
  default: z.union([z.number(), word]).optional().describe('Absent: the first value.'),
  about: z.string().max(120).default('').describe('What it changes, in one line.'),
});

const coversSchema = z
  .strictObject({
    rows: expression.describe('Rows of the output that one workgroup writes.'),
    cols: expression.describe('Columns of the output that one workgroup writes.'),
    split: expression.default(1).describe('Workgroups along z that share one block: parts of K.'),
    order: z
      .enum(['cols-x', 'rows-x', 'flat'])
      .default('cols-x')
      .describe('Which blocks run along x: columns, rows, or all of them, row by row.'),
  })
  .describe('Blocks of the output: from this the number of workgroups follows.');

const workgroupsSchema = z
  .union([
    z.array(expression).min(1).max(3),
    z.strictObject({
      linear: expression.describe('Counted by one index, y * num_workgroups.x + x.'),
    }),
  ])
  .describe(
    'Workgroups along x, y, and z, where `covers` does not say it: ["ceil(n / 64)", "ceil(m / 64)", "b"]; { "linear": "ceil(m * n / 64)" } goes on along y where there are more than 65535.',
  );

/** One dispatch: by what a workgroup covers, or by its number of workgroups. */
const dispatched = {
  covers: coversSchema.optional(),
  workgroups: workgroupsSchema.optional(),
};
const isOneOf = {
  check: ({ covers, workgroups }: { covers?: unknown; workgroups?: unknown }) =>
    (covers === undefined) !== (workgroups === undefined),
  error: 'needs one of "covers" and "workgroups"',
};

/** A name of the source, with what it reaches: `dims.x`, `params.strides[1]`. */
const place = z
  .string()
  .regex(/^[A-Za-z_]\w{0,63}(?:\.\w{1,64}|\[\d{1,3}\]){0,6}$/, 'must be a name in the source');

const fields = z.strictObject({
  $schema: z.string().max(300).optional(),
  name: kernelNameSchema,
  about: z.string().max(200).default('').describe('The idea, in one line.'),
  op: opSchema,
  dtypes: z
    .array(dtypeSchema)
    .min(1)
    .max(MAXIMA.words)
    .describe('What the tensors are made of, and how sums are kept.'),
  epilogue: epilogueSchema
    .optional()
    .describe(
      'What the source puts each sum through before it stores it. Absent: it stores the product alone.',
    ),
  entryPoint: identifier.default('main').describe('The @compute function that runs.'),
  bindings: z
    .record(
      z.string().regex(/^(?:[A-Z](?:_[a-z]{1,20})?|bias|scratch)$/, 'is a tensor or "scratch"'),
      identifier,
    )
    .default({})
    .describe(
      'Variables of the source by what they are: { "A": "src1" }. Absent: those called so.',
    ),
  sizes: z
    .record(place, z.union([z.number(), expression]))
    .refine((sizes) => Object.keys(sizes).length <= 64, { error: 'must have at most 64 entries' })
    .default({})
    .describe(
      'What the source calls dimensions and other numbers: fields, overrides, constants: { "M": "m", "strideA": "k", "alpha": 1 }. Absent: a field called m is m, and one that begins with _ is 0.',
    ),
  zeros: z
    .record(identifier, expression)
    .default({})
    .describe('Variables bound to zeros, with how many: { "bias": "n" }.'),
  placeholders: z
    .record(
      z.string().min(2).max(64),
      z.union([expression, z.strictObject({ text: z.string().max(2_000) })]),
    )
    .refine((all) => Object.keys(all).length <= MOST_PLACEHOLDERS, {
      error: `must have at most ${MOST_PLACEHOLDERS} entries`,
    })
    .default({})
    .describe(
      'Texts to replace in the source, by numbers or by text: { "{{ M }}": "m", "{{ T }}": { "text": "f32" } }.',
    ),
  batches: z
    .boolean()
    .default(false)
    .describe('Whether one dispatch computes all products of a batch; b counts them.'),
  tunables: z
    .record(
      z.string().regex(/^[A-Z][A-Z0-9_]{0,39}$/, 'a tunable is written in capitals: TILE'),
      z.union([tunableSchema.shape.values, tunableSchema]),
    )
    .refine((tunables) => Object.keys(tunables).length <= KERNEL_LIMITS.tunables, {
      error: `must have at most ${KERNEL_LIMITS.tunables} entries`,
    })
    .default({})
    .describe(
      'Constants with the values to try: those of the source, else Tilemark declares them.',
    ),
  ...dispatched,
  features: z
    .array(word)
    .max(MAXIMA.words)
    .default([])
    .describe('WebGPU features beyond those of its dtypes: a device without them skips it.'),
  workgroupBytes: expression
    .default(0)
    .describe('Workgroup memory; a device that has less skips the variant and says why.'),
  multiples: z
    .record(identifier, expression)
    .default({})
    .describe('Dimensions that must be multiples: { "k": "BK" }. Other shapes are skipped.'),
  requires: z
    .array(
      z.strictObject({
        that: z.string().min(1).max(200),
        because: z.string().max(200).default(''),
      }),
    )
    .max(32)
    .default([])
    .describe('What tunables and dimensions must fulfil: "BM * BN <= 4096", "m == 1".'),
  errorGrowth: z
    .number()
    .min(1)
    .max(64)
    .optional()
    .describe('Allowed error as a multiple of the usual one, as of Strassen products.'),
  passes: z
    .array(
      z
        .strictObject({ entryPoint: identifier, ...dispatched })
        .refine(isOneOf.check, { error: isOneOf.error }),
    )
    .max(8)
    .default([])
    .describe('Further dispatches, in order.'),
  scratchBytes: expression
    .default(0)
    .describe('Memory shared by the dispatches, bound after the shape: "4 * SPLIT * m * n".'),
});

export const manifestSchema = fields
  .refine(isOneOf.check, { error: isOneOf.error })
  .meta({ title: 'Manifest of a Tilemark kernel' });
export type Manifest = z.infer<typeof manifestSchema>;
/** A manifest as its author writes it. */
export type WrittenManifest = z.input<typeof manifestSchema>;
/** Whether what an author says is valid, be it complete or not. */
export const partialManifestSchema = fields.partial();
/** How many workgroups of an entry point run. */
export type Dispatched = Pick<Manifest, 'covers' | 'workgroups'>;

/** The manifest's JSON Schema, for editors and other programs. */
export const manifestJsonSchema = (): object => z.toJSONSchema(manifestSchema, { io: 'input' });

/** A kernel as it is handed in, stored, and sent to whoever runs it. */
export const kernelFileSchema = z.strictObject({
  /** Whose it is: the name before the `/` of its id. */
  author: slug('an author'),
  /** WGSL; the manifest may be its first comment. */
  source: z.string().max(KERNEL_LIMITS.sourceBytes),
  /** JSON; absent: it is in the source. */
  manifest: z.string().max(KERNEL_LIMITS.manifestBytes).optional(),
});

/** A contributed kernel with what it was made from. */
export interface Contributed {
  readonly kernel: GpuKernel;
  readonly manifest: Manifest;
  readonly file: KernelFile;
  /** SHA-256 of source and manifest, in hex. */
  readonly hash: string;
}
