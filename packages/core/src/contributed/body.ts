import {
  constantName,
  isWord,
  refuseIf,
  type TunableValue,
  type TunableValues,
} from '@tilemark/kernels';
import type { Bindings } from './bindings';
import { evaluate, type Names } from './expression';
import { KERNEL_LIMITS, type Manifest } from './manifest';
import type { Constant, Source, Variable } from './source';
import { atLine, type Span } from './tokens';

/** The text with its placeholders replaced. Throws InputError for one that it does not have. */
export function filledIn(
  text: string,
  placeholders: Manifest['placeholders'],
  names: Names,
): string {
  const { sourceBytes } = KERNEL_LIMITS;
  let filled = text;
  const longestFirst = Object.entries(placeholders).toSorted(([a], [b]) => b.length - a.length);
  for (const [placeholder, value] of longestFirst) {
    const field = `manifest.placeholders.${placeholder}`;
    refuseIf(!text.includes(placeholder), `the source has no ${placeholder}`, field);
    const put = String(typeof value === 'object' ? value.text : evaluate(value, names, field));
    const times = filled.split(placeholder).length - 1;
    refuseIf(
      filled.length + times * (put.length - placeholder.length) > sourceBytes,
      `with ${placeholder} replaced the source has more than ${sourceBytes} bytes: put shorter texts`,
      field,
    );
    // A text as it is: `$&` in it means nothing.
    filled = filled.replaceAll(placeholder, () => put);
  }
  return filled;
}

/**
 * The source as it runs: its bindings where Tilemark binds them, inputs read only, tunables and sizes
 * in place of its own constants. Lines stay where they are.
 */
export function bodyOf(
  { text, constants }: Source,
  { tensors, constants: others, scratch }: Bindings,
  { tunables, sizes }: Pick<Manifest, 'tunables' | 'sizes'>,
  values: TunableValues,
  names: Names,
): string {
  const bound = [
    ...tensors,
    ...others.map(({ variable }) => variable),
    ...(scratch ? [scratch] : []),
  ];
  const output = tensors.at(-1);
  const edits = [
    ...bound.flatMap((variable, at) =>
      rebound(variable, at, variable === output || variable === scratch),
    ),
    ...[...constants.values()].flatMap((constant): Edit[] => {
      const { name } = constant;
      const field = `manifest.sizes.${name}`;
      const size = Object.hasOwn(sizes, name) ? sizes[name] : undefined;
      const value = Object.hasOwn(tunables, name)
        ? values[name]
        : size === undefined
          ? undefined
          : evaluate(size, names, field);
      return value === undefined ? [] : [[constant, declared(constant, value)]];
    }),
  ];
  return edited(text, edits);
}

type Edit = readonly [where: Span, text: string];

function rebound({ attributes, access }: Variable, binding: number, isWritten: boolean): Edit[] {
  return [
    [attributes, `@group(0) @binding(${binding}) `],
    ...(access && !isWritten ? [[access, 'read'] as const] : []),
  ];
}

/** Of a number; the last digit of a hexadecimal one may be f. */
const SUFFIX = /\b(?:0[xX][\da-fA-F]+([ui])|\d[\d.]*(?:[eE][+-]?\d+)?([uif]))$/;

/** A constant of the source with another value, of the same type. */
function declared({ name, type, value: initial }: Constant, value: TunableValue): string {
  const number = isWord(value) ? constantName(value) : value;
  if (type !== '') return `const ${name}: ${type} = ${type}(${number});`;
  const [, whole, decimal] = SUFFIX.exec(initial) ?? [];
  const suffix = whole ?? decimal ?? '';
  return `const ${name} = ${number}${isWord(value) ? '' : suffix};`;
}

/** Lines of what is replaced stay. */
function edited(text: string, edits: readonly Edit[]): string {
  let done = '';
  let end = 0;
  for (const [span, replacement] of edits.toSorted(([a], [b]) => a.start - b.start)) {
    const lines = text.slice(span.start, span.end).replace(/[^\n]/g, '');
    done += text.slice(end, span.start) + replacement + lines;
    end = span.end;
  }
  return done + text.slice(end);
}

/** Throws InputError for an override that nothing gives a value. */
export function checkOverrides(
  { constants }: Source,
  { tunables, sizes }: Pick<Manifest, 'tunables' | 'sizes'>,
): void {
  for (const { name, line, isOverride, value } of constants.values()) {
    const isGiven = Object.hasOwn(tunables, name) || Object.hasOwn(sizes, name);
    refuseIf(
      isOverride && value === '' && !isGiven,
      `override ${name} has no value: make it a tunable, or say in "sizes" what it is`,
      atLine(line),
    );
  }
}
