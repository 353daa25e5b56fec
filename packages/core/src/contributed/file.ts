import { InputError, refuseIf } from '@tilemark/kernels';
import { z } from 'zod';
import { refusalOf } from '../schema/refusals';
import { KERNEL_LIMITS, type KernelFile, type Manifest, manifestSchema } from './manifest';
import { atLine } from './statements';

/** The manifest of a kernel's file. Throws InputError at its place. */
export function manifestOf({ source, manifest }: KernelFile): Manifest {
  checkText(source);
  const text = manifest ?? headerOf(source);
  if (text === undefined) {
    throw new InputError(
      'there is no manifest: put /* tilemark { ... } */ before the code, or put a .json of the same name beside it (the command `kernel new --from FILE` writes one)',
      'manifest',
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const [, position] = /position (\d+)/.exec(String(error)) ?? [];
    const before = manifest === undefined ? source.slice(0, source.indexOf(text)) : '';
    const line = `${before}${text.slice(0, Number(position ?? 0))}`.split('\n').length;
    const why = error instanceof Error ? error.message : String(error);
    throw new InputError(
      `the manifest is not JSON: ${why}`,
      manifest === undefined ? atLine(line) : `manifest:${line}`,
    );
  }
  const { data, error } = manifestSchema.safeParse(json);
  if (data) return data;
  const [issue] = error.issues;
  const path = ['manifest', ...(issue?.path.map(String) ?? [])].join('.');
  throw new InputError(refusalOf(path, issue?.message ?? z.prettifyError(error)), path);
}

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
