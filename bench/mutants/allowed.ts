/** What is wrong, or may be elsewhere, and passes: named beside the mutants that do not. */
export const ALLOWED: readonly (readonly [what: string, why: string])[] = [
  [
    'f16acc16: an error below 8 roundoffs of both norms on fractions alone',
    'sums in f16 round as much; only a kernel that tells inputs apart can do it',
  ],
  [
    'NaN, infinities, denormals and -0 in floats that are summed',
    'WGSL lets a device flush them, or assume that there are none',
  ],
  [
    'errors in fewer than one of some 64 dispatches, or in a part of a large output in some of them',
    'dispatches before timing are verified, and some of the others: all would take longer than they do',
  ],
  [
    'inputs that are computed from a few of their words instead of read',
    'they are hashes of their places, as the seed of a result gives them again; the roof bounds what that gains',
  ],
  [
    'results kept for pairs of inputs that a long sample meets again, if that saves less than half',
    'a pass cannot be given new inputs on the way; it is compared with one that meets none again',
  ],
  [
    'tiles that a queue with a raced counter computes twice',
    'the output is right; `check` names the line',
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
