import { setImmediate } from 'node:timers/promises';
import { deviceKey } from '@tilemark/core';
import { expect, it, vi } from 'vitest';
import { kernelTemplate } from '../../../../../packages/core/src/contributed/template';
import {
  capabilities,
  identity,
} from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { call, gridOfFile } from '../grid.test-helper';

/** Kernels that are costly to read, brought by anybody: others are served meanwhile. */

const { grid, send } = gridOfFile('member');

/**
 * A kernel of constants, each of which names the one before twice. Its text is another one with each
 * of its values, and none of them fits a device.
 */
function chained(name: string) {
  const template = kernelTemplate(name);
  const [, header = '{}'] = /\/\* tilemark([\s\S]*?)\*\//.exec(template) ?? [];
  const line = (_: unknown, at: number) => `const C${at + 1} = (C${at} + C${at}) / 2;`;
  const padding = `fn padding() -> u32 { var a = 1u; ${'a = a + 1u; '.repeat(3_000)} return a; }`;
  return {
    source: [
      template,
      'const _block = {{ B }};',
      'const C0 = 1;',
      ...Array.from({ length: 250 }, line),
      padding,
    ].join('\n'),
    manifest: JSON.stringify({
      ...JSON.parse(header),
      placeholders: { '{{ B }}': 'BLOCK' },
      workgroupBytes: 99_000_000,
      tunables: { BLOCK: { values: Array.from({ length: 64 }, (_, at) => at + 1), about: 'Side' } },
    }),
  };
}

/** Processor time that work takes, and the most of it in one turn of the event loop, ms. */
async function turnsOf<T>(work: Promise<T>) {
  const found = { all: 0, longest: 0 };
  const done = { is: false };
  const ended = work.finally(() => {
    done.is = true;
  });
  while (!done.is) {
    const before = process.cpuUsage();
    await setImmediate();
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1_000;
    found.all += ms;
    found.longest = Math.max(found.longest, ms);
  }
  return { answer: await ended, ...found };
}

it('kernels whose constants chain are read for a search one text in a turn of the event loop', async () => {
  const kept = await send('POST /kernels', chained('chained'));
  const { id } = await kept.json();
  await grid().store.workers.attach({
    ...{ name: 'w', host: 'h', version: '0', contributed: true },
    ...{ identity: identity('One'), capabilities },
  });
  const read = await turnsOf(call('GET /kernels/{id}', { params: { id }, query: '?BLOCK=5' }));
  expect(read.answer.status).toBe(200);
  expect(read.longest).toBeLessThan(500);
  const problem = { op: 'matmul', shape: { m: 64, n: 64, k: 64 }, dtype: 'f32' };
  const asked = { device: deviceKey(identity('One')), problem, kernel: id, budgetSeconds: 60 };
  const take = vi.spyOn(grid().reads, 'take');
  const { all, answer, longest } = await turnsOf(send('POST /tunings', asked));
  expect(await answer.json()).toMatchObject({
    status: 400,
    detail: expect.stringMatching(/No variant .* fits .*of workgroup memory/),
  });
  expect(longest).toBeLessThan(all / 4);
  // Charged by what was read: each of its texts.
  expect(take).toHaveBeenLastCalledWith(expect.anything(), 10 * 64);
});
