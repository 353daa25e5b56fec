import type { Outcome } from '@tilemark/core';
import { admitKernel, engineFindings, kernelTemplate, withLanes } from '@tilemark/core/contributed';
import type { Problem } from '@tilemark/kernels';
import { expect, it } from 'vitest';
import { lanesText, runSizes } from './check';
import { askNaga } from './naga';

it('naga that cannot be asked, or fails, is a finding', async () => {
  const [read, refused] = await askNaga(['fn main() {}', 'fn main( {']);
  expect(read).toEqual({ report: '' });
  expect(refused).toEqual({ report: expect.stringMatching(/^error: expected [\s\S]*wgsl:1:10/) });
  const broken = await askNaga(['fn main() {}', Symbol('not text') as never]);
  expect(broken).toEqual([{ unread: expect.stringContaining('it cannot read this') }]);
});

it('the sizes of subgroups are one, unknown, or of no matter', async () => {
  const template = kernelTemplate('tried');
  const plain = await admitKernel({ author: 'ada', source: template });
  const features = '"features": ["subgroups"], "covers"';
  const source = template.replace('"covers"', features);
  const contributed = await admitKernel({ author: 'ada', source });
  const variant = { kernel: contributed.kernel.id, tunables: {} };
  const problem: Problem = { op: 'matmul', shape: { m: 5, n: 7, k: 33 }, dtype: 'f32' };
  const right = [{ variant, problem, outcome: { kind: 'measured' } as Outcome }];
  const never = () => expect.unreachable();
  const only = await runSizes(contributed, right, ['subgroup-size-32'], never);
  expect(only.map((each) => lanesText(each, 'my.wgsl'))).toEqual([
    'Subgroups: right with 32 lanes, the only size that this device has',
  ]);
  const [unknown] = await runSizes(contributed, right, [], never);
  expect(unknown && lanesText(unknown, '')).toMatch(/with the lanes that this device chose$/);
  const sizes = ['subgroup-size-4', 'subgroup-size-8'];
  expect(await runSizes(plain, right, sizes, never)).toEqual([]);
  const own = source.replace('@compute', '@subgroup_size(4) @compute');
  const fixed = await admitKernel({ author: 'ada', source: own });
  expect(withLanes(fixed, 8)).toBeNull();
  expect(await runSizes(fixed, right, sizes, never)).toEqual([]);
});

it.each([
  ['tile = atomicLoad(&S[0]); atomicStore(&S[0], tile + 1u);', true],
  ['atomicStore(&S[0], atomicLoad(&S[0]) + 1u);', true],
  ['let tile: u32 = atomicLoad(&S[0]); atomicStore(&S[0], tile + 1u);', true],
  ['let i: u32 = atomicLoad(&S[0]); atomicStore(&S[0], u32(x));', false],
  ['i = atomicLoad(&S[i]); atomicStore(&S[i], 0u);', false],
  ['tile = atomicAdd(&S[0], 1u);', false],
  ['let done = atomicLoad(&S[0]);\natomicStore(&S[1], done);', false],
  ['let seen = atomicLoad(&S[0]);\natomicStore(&S[0], 0u);', false],
])('a counter that is raced for is named at its line: %s', (text, isRaced) => {
  const found = engineFindings(`fn main() {\n${text}\n}`);
  const message =
    'S[0] is loaded and stored in two steps: two threads can get the same value; use atomicAdd';
  expect(found).toEqual(isRaced ? [{ line: 2, message }] : []);
});
