/** What is wrong, or may be elsewhere, and passes: named beside the mutants that do not. */
export const ALLOWED: readonly (readonly [what: string, why: string])[] = [
  [
    'f16acc16: an error below 8 roundoffs of both norms on fractions alone',
    'sums in f16 round as much; only a kernel that tells inputs apart can do it',
  ],
  [
    'f32-staged-f16: an error below 4 roundoffs of f16 of both norms on fractions alone',
    'operands rounded to f16 err as much; only a kernel that tells inputs apart can do it',
  ],
  [
    'NaN, infinities, denormals and -0 in floats',
    'WGSL lets a device flush them, or assume that there are none',
  ],
  ['CPU kernels whose sums of i32 overflow', 'they are not WGSL, in which such sums wrap'],
  [
    'writes more than 4 MiB behind an output or 4 KiB before it',
    'robust access drops them; under `fast` the memory may be another buffer, or none',
  ],
  [
    'reads more than 4 KiB beyond an input that the result does not show',
    'robust access gives 0 there',
  ],
];
