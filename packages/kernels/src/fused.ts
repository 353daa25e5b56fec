import { bindingNumbers } from './bindings';
import type { Dtype } from './dtype';
import { EPILOGUES, type Epilogue, finishedWgsl, hasBias } from './epilogue';
import type { OpId } from './ops';

/**
 * How kernels write C, and the same through an epilogue. C lies row by row, so the number of an element
 * tells its column. A kernel that writes it otherwise calls `finished` or `finished4` itself
 * (`WrittenFor.epilogue`).
 */
const WRITES = [
  [/\bC\[(.+)\] = T\((.+)\);/g, 'C[$1] = T(finished(f32($2), ($1) % shape.n));'],
  [
    /\bC4\[(.+)\] = vec4<T>\((.+)\);/g,
    'C4[$1] = vec4<T>(finished4(vec4f($2), 4 * (($1) % (shape.n / 4))));',
  ],
] as const;

/** Bounded, since WGSL does not say what an infinite 1 + e^x makes of a quotient. */
const EXP = 'fn exp_of(x: f32) -> f32 { return exp(min(x, 80.0)); }';

const FOUR = `fn finished4(sums: vec4f, col: u32) -> vec4f {
  return vec4f(
    finished(sums.x, col),
    finished(sums.y, col + 1),
    finished(sums.z, col + 2),
    finished(sums.w, col + 3),
  );
}`;

/**
 * The source of a kernel of products, changed to put each sum through an epilogue before it is stored.
 * Its bias is bound behind the other inputs, so that later bindings move up by one. Epilogues are
 * computed in f32, whatever sums are kept in.
 */
export function fused(
  wgsl: string,
  problem: { readonly op: OpId; readonly dtype: Dtype; readonly epilogue: Epilogue },
): string {
  const { op, dtype, epilogue } = problem;
  const body = WRITES.reduce((text, [write, finished]) => text.replaceAll(write, finished), wgsl);
  if (!/\bfinished4?\(/.test(body)) throw new TypeError(`no sum of it goes through ${epilogue}`);
  const functions = [
    `\n// ${EPILOGUES[epilogue].words}, of each sum.`,
    finishedWgsl(problem, EXP),
    FOUR,
  ];
  if (!hasBias(problem)) return [body, ...functions].join('\n');
  const { bias = 0 } = bindingNumbers(op, dtype, epilogue);
  return [
    body.replaceAll(/@binding\((\d+)\)/g, (text, number) =>
      Number(number) < bias ? text : `@binding(${Number(number) + 1})`,
    ),
    ...functions,
    `@group(0) @binding(${bias}) var<storage, read> bias: array<T>;`,
    'fn load_bias(col: u32) -> f32 { return f32(bias[min(col, shape.n - 1)]); }',
  ].join('\n');
}
