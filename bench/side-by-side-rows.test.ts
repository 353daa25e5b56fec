import { brokenConstraints, parseVariant } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { COPY, LIBRARY_ROWS, ROWS, tunedAddress, tunedVariants } from './side-by-side-rows';

/** A machine with the GPU they are for is rare: what it is asked to run has to exist. */

const shipped = await tunedVariants();
const rows = [...ROWS, ...LIBRARY_ROWS].map((row) => ({
  ...row,
  variant: row.variant ?? tunedAddress(shipped, row),
}));

it.each([...rows, { ...rows[0]!, op: 'transpose', variant: COPY }])(
  'the row of $variant at $shape $dtype can run',
  ({ op, dtype, variant }) => {
    const { definition, tunables } = parseVariant(variant);
    expect(definition.op).toBe(op);
    expect(definition.dtypes).toContain(dtype);
    expect(brokenConstraints(definition, tunables)).toEqual([]);
  },
);
