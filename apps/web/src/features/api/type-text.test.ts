import { expect, it } from 'vitest';
import { z } from 'zod';
import { jsonSchema } from '@/server/openapi';
import { typeText } from './type-text';

const text = (schema: z.ZodType) => typeText(jsonSchema(schema, 'output'));

it.each([
  ['string', z.string()],
  ['number', z.number().int()],
  ['"f32" | "i32"', z.enum(['f32', 'i32'])],
  ['1', z.literal(1)],
  ['string | null', z.string().nullable()],
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
