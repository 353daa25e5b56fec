import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FAMILIES } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useBundle } from '../bundle.test-helper';
import { type SelectionOptions, selection } from './selection';

const bundle = useBundle();

const family = FAMILIES.find(({ id }) => id === 'transpose-shapes');
if (!family) throw new Error('the family is gone');
const key = 'acme-anvil-one-vulkan-dawn';
const variant = { kernel: 'transpose/naive', tunables: { BLOCK: 16 } };

/** A grid that knows one device, and has no answer for the last shape of the family. */
let site: Server;
let server: string;
beforeAll(async () => {
  site = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://grid.test');
    const send = (status: number, body: unknown) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    const missing = (detail: string) =>
      send(404, { type: 'about:blank', title: 'Not found', status: 404, detail });
    if (pathname === `/api/v1/devices/${key}`) return send(200, {});
    if (pathname !== '/api/v1/best') return missing('There is no such device.');
    const [rows, cols] = [Number(searchParams.get('rows')), Number(searchParams.get('cols'))];
    if (rows === 192) return missing('No ranked result can decide.');
    const problem = { op: 'transpose', shape: { rows, cols }, dtype: 'f32' };
    const isFirst = rows === 1024;
    const rate = { value: 1, unit: 'GB/s' };
    return send(200, {
      fallback: 'device',
      asked: problem,
      measured: problem,
      isExact: isFirst,
      profile: searchParams.get('profile'),
      variant,
      address: 'transpose/naive[BLOCK=16]',
      devices: 1,
      partOfBest: 1,
      duel: null,
      shipped: null,
      wgsl: '',
      isSourceMeasured: true,
      result: {
        id: 'r',
        device: { key, name: 'One', class: 'gpu' },
        medianNs: 1234,
        rate,
        measuredAt: '2026-11-24T12:00:00.000Z',
      },
      prediction: isFirst
        ? null
        : {
            ns: 5678.9,
            error: 0.1234,
            basis: 'predicted',
            rate,
            device: 'One',
            driver: '1',
            profile: 'default',
            measuredAt: '2026-11-24T12:00:00.000Z',
            shapes: 3,
            runnersUp: [{ address: 'transpose/tiled', ns: 6000, error: 0.1 }],
          },
      needs: null,
      bindings: [],
      passes: [{ entryPoint: 'main', workgroups: [4, 4, 1] }],
    });
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  server = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => site.close(resolve)));

async function printed(over: Partial<SelectionOptions>): Promise<string> {
  const texts: string[] = [];
  const options = { suite: family, dtype: 'f32', profile: 'default', format: 'csv' } as const;
  await selection({ ...options, ...over } as SelectionOptions, (text) => texts.push(text));
  return texts.join('\n');
}

describe('tilemark table', () => {
  it('has a row for every shape of what ships, and the same as JSON', async () => {
    const lines = (await printed({ profile: 'fast' })).split(/\r?\n/);
    expect(lines[0]).toBe('shape,variant,basis,ns,error,dispatches,device');
    expect(lines[1]).toMatch(/,nvidia-[^,]*h200[^,]*$/);
    expect(lines).toHaveLength(1 + family.shapes.length);
    const json = JSON.parse(await printed({ profile: 'fast', format: 'json' }));
    expect(json).toMatchObject({ op: 'transpose', dtype: 'f32', unknown: [] });
    expect(json.rows).toHaveLength(family.shapes.length);
  });

  it('asks a grid for the decisions on its device, and names shapes that it cannot answer', async () => {
    const lines = (await printed({ server, device: key })).split(/\r?\n/);
    expect(lines).toHaveLength(1 + family.shapes.length);
    const square = lines.find((line) => line.startsWith('1024,'));
    expect(square).toBe(`1024,transpose/naive[BLOCK=16],ranked,1234,,main 4x4x1,${key}`);
    expect(lines).toContain(`2048,transpose/naive[BLOCK=16],predicted,5679,0.12,main 4x4x1,${key}`);
    expect(lines).toContain(`192x12544,,unknown,,,,${key}`);
    const json = JSON.parse(await printed({ server, device: key, format: 'json' }));
    expect(json).toMatchObject({ device: key, server, unknown: ['192x12544'] });
    expect(json.rows).toHaveLength(family.shapes.length - 1);
  });

  it.each([
    [
      'a dtype of no candidate',
      { dtype: 'f16acc16' },
      '--dtype',
      /no candidate of transpose-shapes/,
    ],
    [
      'a device without evidence',
      { device: 'else' },
      '--device',
      /: run node \S+ tune --suite transpose-shapes/,
    ],
    [
      'a profile without evidence',
      { dtype: 'f16' },
      '--dtype',
      /nothing was measured|no candidate/,
    ],
    ['a grid without a device', { server: 'here' }, '--device', /its page shows the key/],
    ['an address of nothing', { server: 'here', device: key }, '--server', /not an http/],
    ['a device that the grid has not', { device: 'else' }, '--device', /no such device/],
  ] as [string, Partial<SelectionOptions>, string, RegExp][])(
    'refuses %s',
    async (what, over, field, message) => {
      const grid = what.endsWith('has not') ? { server } : {};
      const error = await printed({ ...over, ...grid }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(InputError);
      expect(error).toMatchObject({ field, message: expect.stringMatching(message) });
    },
  );
});

describe.each(['SIGINT', 'SIGTERM'] as const)('tilemark table --regret, sent %s', (signal) => {
  it('has said how far it is, and ends', async () => {
    // Minutes of work, if nothing ends it.
    const args = ['table', '--suite', 'llm-shapes', '--dtype', 'f32', '--regret'];
    const child = spawn(process.execPath, [bundle.main, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [said] = await once(child.stderr, 'data');
    expect(String(said)).toContain('0 of 7');
    child.kill(signal);
    const [code, by] = await once(child, 'close');
    expect([code, by]).toEqual([null, signal]);
  });
});
