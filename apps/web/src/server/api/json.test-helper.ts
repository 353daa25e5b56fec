import fc from 'fast-check';

/** The parts of JSON Schema that `z.toJSONSchema` writes and values are made from. */
export interface JsonSchema {
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly minItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly format?: string;
}

/** By the name of a field: values that exist, where the schema alone would never hit one. */
export type Known = Readonly<Record<string, readonly unknown[]>>;

/**
 * Values that a JSON Schema accepts. Lists stay short: what is large is tested by itself.
 *
 * @param field name of the field that contains the value
 */
export function valid(schema: JsonSchema, known: Known, field = ''): fc.Arbitrary<unknown> {
  const real = known[field];
  if (real)
    return fc.oneof({ arbitrary: fc.constantFrom(...real), weight: 4 }, shaped(schema, known));
  return shaped(schema, known);
}

function shaped(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return fc.oneof(...branches.map((branch) => valid(branch, known)));
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type) => shaped({ ...schema, type }, known)));
  }
  switch (schema.type) {
    case 'object':
      return object(schema, known);
    case 'array':
      if (schema.prefixItems) {
        return fc.tuple(...schema.prefixItems.map((item) => valid(item, known)));
      }
      return fc.array(valid(schema.items ?? {}, known), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.max(schema.minItems ?? 0, 2),
      });
    case 'string':
      return text(schema);
    case 'integer':
      return fc.integer({
        min: schema.minimum ?? (schema.exclusiveMinimum ?? -2) + 1,
        max: Math.min(schema.maximum ?? 64, 2 ** 31),
      });
    case 'number':
      return fc.double({
        min: schema.minimum ?? schema.exclusiveMinimum ?? -1e6,
        minExcluded: schema.exclusiveMinimum !== undefined,
        max: schema.maximum ?? 1e9,
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function text({ format, maxLength = 30, minLength = 0 }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time' || format === 'date') {
    const dates = fc.date({ min: new Date(0), noInvalidDate: true });
    return dates.map((date) => date.toISOString().slice(0, format === 'date' ? 10 : undefined));
  }
  const length = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, 30)) };
  return fc.string({ unit: 'grapheme', ...length }).map((value) => value.slice(0, maxLength));
}

function object(
  { additionalProperties, properties = {}, required = [] }: JsonSchema,
  known: Known,
): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, valid(schema, known, name)]),
  );
  const declared = fc.record(fields, { requiredKeys: [...required] });
  if (typeof additionalProperties !== 'object') return declared;
  const others = fc.dictionary(fc.string({ maxLength: 10 }), valid(additionalProperties, known), {
    maxKeys: 2,
  });
  return fc.tuple(others, declared).map(([more, value]) => ({ ...more, ...value }));
}

const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = wrap(value);
  return value;
};

/** What no field wants. */
const HOSTILE: readonly unknown[] = [
  ...[null, true, [], {}, [[]], '', ' ', '0'],
  ...[-1, 0, 0.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 53 + 2, 2 ** 24 + 1, 20_001],
  ...[
    '\0',
    'a\0b',
    '\ud800',
    '\udfff\ud800',
    '\u202e\u2066',
    '\uffff',
    '🦀'.repeat(50),
    'é'.repeat(5_000),
  ],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '%00', '%', '../../../etc/passwd'],
  ...[
    "' OR 1=1 --",
    '"; DROP TABLE "Run"; --',
    '$1',
    '{{7*7}}',
    '<script>alert(1)</script>',
    '=1+1',
  ],
  ...[
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '-000001-01-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
  ],
  nested(60, (inner) => [inner]),
  nested(60, (inner) => ({ a: inner })),
  Array.from({ length: 1_000 }, (_, at) => at),
  Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, at])),
];
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: fc.constantFrom(...HOSTILE), weight: 3 },
  fc.anything({ maxDepth: 2 }).filter((value) => JSON.stringify(value) !== undefined),
);

type Path = readonly (string | number)[];

function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...at, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  Reflect.set(copy, key, replaced(Reflect.get(copy, key), rest, by));
  return copy;
}

/** Values of which one part, anywhere inside, is something else than it should be. */
export const damaged = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(values, fc.nat(), hostile, fc.boolean()).map(([value, at, by, isExtra]) => {
    const paths = pathsOf(value);
    const path = paths[at % paths.length] ?? [];
    return replaced(value, isExtra ? [...path, 'extra'] : path, by);
  });
