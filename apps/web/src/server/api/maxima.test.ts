import { MAXIMA } from '@tilemark/core';
import { describe, expect, it } from 'vitest';
import { environment } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { gridOfFile } from '../grid.test-helper';
import { v1 } from './app';
import { openApi } from './document';

/** Every text and list that a request may bring has a maximum in its schema. */

const document = JSON.parse(JSON.stringify(openApi(v1, '1')));

type Schema = {
  readonly [key: string]: unknown;
  readonly type?: string;
};

/** Where a schema allows a text or list without end. */
function endless(schema: unknown, at: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const named = Reflect.get(schema, '$ref');
  if (named) return endless(document.components.schemas[String(named).split('/').at(-1) ?? ''], at);
  const { items, properties, type, ...rest } = schema as Schema & {
    readonly properties?: Record<string, unknown>;
    readonly additionalProperties?: unknown;
  };
  const isBound = ['maxLength', 'enum', 'const', 'format', 'pattern'].some((name) => name in rest);
  return [
    ...(type === 'string' && !isBound ? [at] : []),
    ...(type === 'array' && !('maxItems' in rest || 'prefixItems' in rest) ? [`${at}[]`] : []),
    ...endless(items, `${at}[]`),
    ...Object.entries(properties ?? {}).flatMap(([name, each]) => endless(each, `${at}.${name}`)),
    ...endless(rest.additionalProperties, `${at}.*`),
    ...['anyOf', 'oneOf', 'allOf'].flatMap((name) =>
      ((rest[name] ?? []) as unknown[]).flatMap((each) => endless(each, at)),
    ),
  ];
}

interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: unknown }>> };
}
const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Described>).flatMap(([method, { requestBody }]) =>
    requestBody
      ? [{ name: `${method} ${path}`, body: Object.values(requestBody.content)[0]?.schema }]
      : [],
  ),
);

it.each(bodies)('$name has an end everywhere', ({ body, name }) => {
  expect(endless(body, name)).toEqual([]);
});

describe('a body', () => {
  const { send } = gridOfFile('member');

  it.each([
    ['nested too deeply', '['.repeat(MAXIMA.depth + 1) + ']'.repeat(MAXIMA.depth + 1), 400, /deep/],
    [
      'nested as deeply as may be',
      '['.repeat(MAXIMA.depth) + ']'.repeat(MAXIMA.depth),
      400,
      /object/,
    ],
    ['of too many values', `[${'0,'.repeat(MAXIMA.values)}0]`, 413, /values/],
    ['of text that looks like values', JSON.stringify('[,'.repeat(MAXIMA.values)), 400, /object/],
  ])('%s is refused', async (_, body, status, detail) => {
    const response = await send('POST /sweeps', body);
    expect(response.status).toBe(status);
    expect((await response.json()).detail).toMatch(detail);
  });
});

describe('an import', () => {
  const { grid, send } = gridOfFile('member');
  const head = JSON.stringify({ version: 1, environment: environment('One') });

  it.each([2e6, 8e6, 63e6])('of %d bytes of lists is refused, and nothing kept', async (bytes) => {
    const response = await send('POST /results/import', `${head}\n[${'[],'.repeat(bytes / 3)}[]]`);
    expect(response.status).toBe(413);
    expect((await response.json()).detail).toMatch(/^Line 2: Send at most/);
    expect((await grid().store.sweeps.list()).items).toEqual([]);
  });
});
