import { InputError, type KernelFile, refuseIf } from '@tilemark/kernels';
import { z } from 'zod';
import { refusalOf } from '../schema/refusals';
import { Unsaid } from './bindings';
import {
  KERNEL_LIMITS,
  type Manifest,
  manifestSchema,
  partialManifestSchema,
  type WrittenManifest,
} from './manifest';
import { atLine } from './tokens';

/** The manifest of a kernel's file. Throws InputError at its place. */
export function manifestOf(file: KernelFile): Manifest {
  const json = jsonIn(file);
  if (json === undefined) throw new Unsaid('there is no manifest:', 'manifest');
  return completed(json);
}

/** A manifest with what it leaves to defaults. Throws InputError at its place. */
export const completed = (json: unknown): Manifest => checked(manifestSchema, json);

/** What a file says of itself, complete or not. Throws InputError at its place. */
export function writtenIn(file: Omit<KernelFile, 'author'>): Partial<WrittenManifest> {
  const json = jsonIn(file) ?? {};
  checked(partialManifestSchema, json);
  return json;
}

function checked<T>(schema: z.ZodType<T>, json: unknown): T {
  const { data, error, success } = schema.safeParse(json);
  if (success) return data;
  const [issue] = error.issues;
  const path = ['manifest', ...(issue?.path.map(String) ?? [])].join('.');
  const message = refusalOf(path, issue?.message ?? z.prettifyError(error));
  const isMissing = / is required$|^needs one of/.test(message);
  throw isMissing ? new Unsaid(`${message}:`, path) : new InputError(message, path);
}

function jsonIn({ source, manifest }: Omit<KernelFile, 'author'>): unknown {
  checkText(source);
  const text = manifest ?? headerOf(source);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text, (key, value) => {
      refuseIf(key === '__proto__', '"__proto__" cannot be a name: choose another', 'manifest');
      return value;
    });
  } catch (error) {
    if (error instanceof InputError) throw error;
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    const before = manifest === undefined ? source.slice(0, source.indexOf(text)) : '';
    const line = `${before}${text.slice(0, Number(position ?? 0))}`.split('\n').length;
    const why = error instanceof Error ? error.message : String(error);
    throw new InputError(
      `the manifest is not JSON: ${why}`,
      manifest === undefined ? atLine(line) : `manifest:${line}`,
    );
  }
}

/** Whether a file says anything of itself. */
export const hasManifest = ({ source, manifest }: Omit<KernelFile, 'author'>): boolean =>
  manifest !== undefined || headerOf(source) !== undefined;

/** The manifest of a file that has none beside it: a comment before the code. */
function headerOf(source: string): string | undefined {
  for (let at = 0; ; ) {
    at += /^\s*/.exec(source.slice(at))?.[0].length ?? 0;
    const isLine = source.startsWith('//', at);
    if (!isLine && !source.startsWith('/*', at)) return undefined;
    const close = source.indexOf(isLine ? '\n' : '*/', at);
    if (close < 0) return undefined;
    const text = isLine ? undefined : /^\s*tilemark\b/.exec(source.slice(at + 2, close))?.[0];
    if (text !== undefined) return source.slice(at + 2 + text.length, close);
    at = close + (isLine ? 1 : 2);
  }
}

/** Throws InputError for what no compiler can take. */
export function checkText(source: string): void {
  const bytes = new TextEncoder().encode(source).length;
  const { sourceBytes } = KERNEL_LIMITS;
  refuseIf(source.trim() === '', 'the file is empty', 'wgsl');
  refuseIf(
    source.startsWith('\ufeff'),
    'the file begins with a byte-order mark: save it as UTF-8 without one',
    atLine(1),
  );
  refuseIf(
    bytes > sourceBytes,
    `the source has ${bytes} bytes; the limit is ${sourceBytes} (256 KiB)`,
    'wgsl',
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const strange = source.search(/[\x00-\x08\x0e-\x1f\ufffd]/);
  const line = source.slice(0, strange).split('\n').length;
  refuseIf(strange >= 0, 'this is not text: save the file as UTF-8', atLine(line));
}
