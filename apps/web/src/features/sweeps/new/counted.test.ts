import { type Device, PLAIN_WEBGPU } from '@tilemark/core';
import { KERNELS } from '@tilemark/kernels';
import { describe, expect, it } from 'vitest';
import { sweepRequestSchema } from './counted';
import { emptyCase, prefilled, prefillSchema, type SweepForm } from './form';

const gpu = {
  key: 'a',
  name: 'A',
  class: 'gpu',
  workers: 1,
  capabilities: PLAIN_WEBGPU,
} as unknown as Device;
const manyOf = (device: Device) =>
  Array.from({ length: 1_000 }, (_, at) => ({ ...device, key: `${at}` }));

const blank = prefilled(prefillSchema.parse({}), () => undefined);
const byHand = (over: Partial<SweepForm['cases'][number]>): SweepForm => {
  const tiled = KERNELS.find(({ id }) => id === 'matmul/tiled')!;
  return { ...blank, from: 'hand', cases: [{ ...emptyCase(tiled), ...over }] };
};
const layouts = (n: string): SweepForm => ({
  ...blank,
  suite: 'layouts',
  params: { n },
  cases: [],
});

describe('sweepRequestSchema', () => {
  it.each<[SweepForm, string, RegExp, Device[]?]>([
    [byHand({ shapes: 'abc' }), 'cases.0.shapes', /abc/],
    [byHand({ shapes: '  ' }), 'cases.0.shapes', /at least one shape/],
    [byHand({ dtypes: [] }), 'cases.0.dtypes', /at least one element type/],
    [layouts('x'), 'params.n', /whole number/],
    [layouts('0'), 'params.n', /16/],
    [layouts('16384'), 'params.n', /GiB in one buffer/],
    [byHand({ shapes: '16384' }), 'cases.0.shapes', /GiB in one buffer/],
    [byHand({ dtypes: ['f16'] }), 'cases.0.kernel', /Every run would be skipped: .*f16/],
    [byHand({ shapes: '1..64 +1' }), 'cases.0.shapes', /limit of/, manyOf(gpu)],
    [layouts('64'), 'devices', /No worker is attached/, [{ ...gpu, workers: 0 }]],
    [layouts('64'), 'devices', /No device is attached/, []],
  ])('tells what is wrong at its control', (form, control, message, devices = [gpu]) => {
    const [issue] = sweepRequestSchema(devices).safeParse(form).error?.issues ?? [];
    expect(issue?.message).toMatch(message);
    expect(issue?.path.join('.')).toBe(control);
  });

  it('accepts what can be submitted', () => {
    expect(sweepRequestSchema([gpu]).safeParse(byHand({})).success).toBe(true);
  });
});
