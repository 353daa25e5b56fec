import type { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/**
 * A JSON Schema in the notation of TypeScript, which is a tenth of its length:
 * `{ id: string; counts?: { total: number } }`, broken into lines where it is long.
 */
export function typeText(schema: JsonSchema | boolean, indent = ''): string {
  if (typeof schema === 'boolean') return schema ? 'unknown' : 'never';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return [...new Set(union.map((each) => typeText(each, indent)))].join(' | ');
  // OpenAPI 3.1 writes what may be null as a list of types.
  const types = [schema.type ?? 'unknown'].flat();
  return types.map((type) => oneTypeText(type, schema, indent)).join(' | ');
}

function oneTypeText(type: string, schema: JsonSchema, indent: string): string {
  if (type === 'array') return arrayText(schema, indent);
  if (type === 'object') return objectText(schema, indent);
  return type === 'integer' ? 'number' : type;
}

function arrayText({ items, prefixItems }: JsonSchema, indent: string): string {
  if (prefixItems) return `[${prefixItems.map((each) => typeText(each, indent)).join(', ')}]`;
  const item = Array.isArray(items) ? 'unknown' : typeText(items ?? true, indent);
  // Brackets keep a union of items apart from an array beside a type.
  return /^[\w"]+( \|)/.test(item) || /\} \| [{n]/.test(item) ? `(${item})[]` : `${item}[]`;
}

const LINE = 88;

function objectText(schema: JsonSchema, indent: string): string {
  const { additionalProperties, properties = {}, required = [] } = schema;
  const entries = Object.entries(properties);
  if (entries.length === 0) {
    return `Record<string, ${typeText(additionalProperties ?? true, indent)}>`;
  }
  const inner = `${indent}  `;
  const members = entries.map(
    ([name, value]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(value, inner)}`,
  );
  const line = `{ ${members.join('; ')} }`;
  if (!line.includes('\n') && indent.length + line.length <= LINE) return line;
  return `{\n${members.map((member) => `${inner}${member};\n`).join('')}${indent}}`;
}
