import { MAXIMA } from '@tilemark/core';
import { describe, expect, it } from 'vitest';
import { environment } from '../../../../../packages/core/src/server/store/fixtures.test-helper';
import { gridOfFile } from '../grid.test-helper';
import { v1 } from './app';
import { openApi } from './document';
import { Outline } from './outline';

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
  readonly requestBody?: { readonly content: { 'application/json': { schema: unknown } } };
}
const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Described>).flatMap(([method, { requestBody }]) =>
    requestBody
      ? [{ name: `${method} ${path}`, body: requestBody.content['application/json'].schema }]
      : [],
  ),
);

it.each(bodies)('$name has an end everywhere', ({ body, name }) => {
  expect(endless(body, name)).toEqual([]);
});

describe('a body that is looked at before it is parsed', () => {
  const fed = (text: string, list?: string) => {
    const outline = new Outline(list);
    const bytes = Buffer.from(text);
    // A byte at a time: nothing may depend on where a chunk ends.
    for (let at = 0; at < bytes.length; at++) outline.feed(bytes.subarray(at, at + 1));
    return {
      parts: outline.parts.map(([start, end]) => bytes.subarray(start, end).toString()),
      inside: outline.inside && bytes.subarray(...outline.inside).toString(),
    };
  };

  it('has the parts of its list, whatever else has brackets', () => {
    const inside = '{"a":"]}"}, {"results":[{}],"b":"\\"]"} ,{}';
    const text = `{"x":{"results":[{}]},"é":"results","results" : [${inside}],"y":[[{}]]}`;
    expect(fed(text, 'results')).toEqual({
      parts: ['{"a":"]}"}', '{"results":[{}],"b":"\\"]"}', '{}'],
      inside,
    });
  });

  it('is refused where its list has anything but objects, or is there twice', () => {
    expect(() => fed('{"results":[{},[]]}', 'results')).toThrow('results[1] must be an object.');
    expect(() => fed('{"results":[1]}', 'results')).toThrow('results[0] must be an object.');
    expect(() => fed('{"results":[],"results":[]}', 'results')).toThrow(/twice/);
  });

  it('is refused once it is too deep or has too many values, and per entry of its list', () => {
    expect(() => fed('['.repeat(MAXIMA.depth + 1))).toThrow(/deep/);
    expect(() => fed('[0,'.concat('0,'.repeat(MAXIMA.values)))).toThrow(/values/);
    const entry = `{"a":[${'0,'.repeat(MAXIMA.values / 2)}0]}`;
    expect(fed(`{"results":[${entry},${entry},${entry}]}`, 'results').parts).toHaveLength(3);
    expect(() => fed(`{"a":"${'[,'.repeat(MAXIMA.values)}"}`)).not.toThrow();
  });
});

describe('an import', () => {
  const { grid, send } = gridOfFile('member');
  const file = (results: string) =>
    `{"version":1,"environment":${JSON.stringify(environment('One'))},"results":${results}}`;

  it.each([2e6, 8e6, 63e6])('of %d bytes of lists is refused, and nothing kept', async (bytes) => {
    const response = await send('POST /results/import', file(`[${'[],'.repeat(bytes / 3)}[]]`));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ field: 'results[0]' });
    expect((await grid().store.sweeps.list()).items).toEqual([]);
  });
});
