import { readFileSync } from 'node:fs';
import { brokenConstraints, combinations, parseVariant, resolveVariant } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { LISTS } from './lists.mjs';
import { COPY, LIBRARY_ROWS, ROWS } from './rows.mjs';
import { SHIPPED, tunedVariant } from './tuned.mjs';

/** A machine with the GPU they are for is rare: what it is asked to run has to exist. */

describe.each(LISTS)('$name', ({ kernel, dtype, tunables }) => {
  it('has declared values and combinations that fit together', () => {
    const values = tunables.map((each) => {
      const [name = '', texts = ''] = each.split('=');
      return [name, texts.split(',').map((text) => (/^\d+$/.test(text) ? Number(text) : text))];
    });
    const variants = combinations(Object.fromEntries(values)).map((each) =>
      resolveVariant(kernel, each),
    );
    expect(variants[0]?.definition.dtypes).toContain(dtype);
    const whole = variants.filter(
      ({ definition, tunables }) => brokenConstraints(definition, tunables).length === 0,
    );
    expect(whole.length).toBeGreaterThan(1);
  });
});

const shipped = JSON.parse(readFileSync(SHIPPED, 'utf8'));
const rows = [...ROWS, ...LIBRARY_ROWS].map((row) => ({
  ...row,
  variant: row.variant ?? tunedVariant(shipped, row),
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
