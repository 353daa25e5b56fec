import type { Tensor } from '../scalar';
import { type CheckOptions, merged, type OutputCheck } from '../verify/verification';
import { compareLarge } from './large';
import type { MatmulShape } from './op';
import { canCompareWhole, compareWhole, factors } from './verify';

/**
 * Checks every product of a batch by itself, and all of them in one verdict. Rows are numbered
 * through the batch, as C has them in memory. With an epilogue, every element is compared: Freivalds'
 * check is of products.
 */
export function compareProducts(
  { b: batch = 1, ...one }: MatmulShape,
  inputs: readonly Tensor[],
  options: CheckOptions,
): OutputCheck {
  const { m, n, k } = one;
  const [a, b, bias] = factors(inputs);
  const isWhole = options.finish !== null || canCompareWhole({ b: batch, ...one }, options.sampled);
  const compare = isWhole ? compareWhole : compareLarge;
  const part = (tensor: Tensor, length: number, product: number) =>
    tensor.subarray(product * length, (product + 1) * length);
  const checks = Array.from({ length: batch }, (_, product) =>
    compare(
      one,
      [part(a, m * k, product), part(b, k * n, product), ...(bias ? [bias] : [])],
      options,
    ),
  );
  return (c) =>
    merged(
      checks.map((check, product) => {
        const { worst, ...verdict } = check(part(c, m * n, product));
        return { ...verdict, worst: worst && { ...worst, row: product * m + worst.row } };
      }),
    );
}
