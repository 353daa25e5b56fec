import { expect, it } from 'vitest';
import { z } from 'zod';
import { openApi } from '@/server/api/document';
import { noun, ok, operation } from '@/server/api/operation';
import { type JsonSchema, typeText } from './type-text';

/** The type of an answer, as it stands in openapi.json. */
function text(schema: z.ZodType): string {
  const api = noun();
  const named = { id: 'a', method: 'get', path: '/a', summary: '', access: 'open' } as const;
  operation(api, { ...named, answer: ok(schema) }, () => null);
  const described = JSON.parse(JSON.stringify(openApi(api, '1'))).paths['/a'].get;
  return typeText(described.responses[200].content['application/json'].schema as JsonSchema);
}

it.each([
  ['string', z.string()],
  ['number', z.number().int()],
  ['"f32" | "i32"', z.enum(['f32', 'i32'])],
  ['1', z.literal(1)],
  ['string | null', z.string().nullable()],
  ['{ id: string } | null', z.object({ id: z.string() }).nullable()],
  ['("a" | "b")[]', z.array(z.enum(['a', 'b']))],
  ['string[]', z.array(z.string())],
  ['[number, number]', z.tuple([z.number(), z.number()])],
  ['Record<string, number>', z.record(z.string(), z.number())],
  ['{ id: string; n?: number }', z.object({ id: z.string(), n: z.number().optional() })],
])('%s', (expected, schema) => {
  expect(text(schema)).toBe(expected);
});

it('breaks what does not fit a line', () => {
  const long = z.object(Object.fromEntries([...'abcdefghij'].map((key) => [key, z.string()])));
  expect(text(long)).toMatch(/^\{\n {2}a: string;\n/);
});
