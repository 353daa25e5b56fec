import {
  constantName,
  InputError,
  isWord,
  refuseIf,
  type TunableValue,
  type TunableValues,
} from '@tilemark/kernels';
import type { Bindings } from './bindings';
import { evaluate, type Names } from './expression';
import type { Manifest } from './manifest';
import type { Constant, Source, Span, Variable } from './source';
import { atLine } from './statements';

/** The features of WGSL extensions. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  f16: 'shader-f16',
  subgroups: 'subgroups',
  chromium_experimental_subgroup_matrix: 'chromium-experimental-subgroup-matrix',
};

/** What a source has that only an extension has, whether it enables it or not. */
const USES: readonly (readonly [pattern: RegExp, feature: string])[] = [
  [/^(?:f16|vec[234]h|mat[234]x[234]h)$/, 'shader-f16'],
  [/^subgroup_matrix_|^subgroupMatrix/, 'chromium-experimental-subgroup-matrix'],
  [
    /^subgroup(?:[A-LN-Z]|M(?:in|ax|ul)|_(?:size|invocation_id))|^quad(?:Broadcast|Swap)/,
    'subgroups',
  ],
];

/** WebGPU features that a source enables, or uses. Throws InputError for what no device here has. */
export function featuresIn({ directives, names, declared }: Source): string[] {
  const enabled = directives.flatMap(({ text, line }) => {
    const [, list] = /^enable ([\s\S]*);$/.exec(text) ?? [];
    return (list?.split(',') ?? []).map((name) => {
      const feature = EXTENSIONS[name.trim()];
      if (feature) return feature;
      const known = Object.keys(EXTENSIONS).join(', ');
      throw new InputError(`no device here has ${name.trim()}; there are: ${known}`, atLine(line));
    });
  });
  const used = USES.filter(([pattern]) =>
    [...names].some((name) => pattern.test(name) && !declared.has(name)),
  ).map(([, feature]) => feature);
  return [...new Set([...enabled, ...used])];
}

/** The directives that Tilemark does not write from features. */
export const directivesIn = ({ directives }: Source): string[] =>
  directives.map(({ text }) => text).filter((text) => !text.startsWith('enable'));

/** The text with its placeholders replaced. Throws InputError for one that it does not have. */
export function filledIn(
  text: string,
  placeholders: Manifest['placeholders'],
  names: Names,
): string {
  let filled = text;
  const longestFirst = Object.entries(placeholders).toSorted(([a], [b]) => b.length - a.length);
  for (const [placeholder, value] of longestFirst) {
    const field = `manifest.placeholders.${placeholder}`;
    refuseIf(!text.includes(placeholder), `the source has no ${placeholder}`, field);
    const replacement = typeof value === 'object' ? value.text : evaluate(value, names, field);
    filled = filled.replaceAll(placeholder, String(replacement));
  }
  return filled;
}

/**
 * The source as it runs: its bindings where Tilemark binds them, inputs read only, tunables and sizes
 * in place of its own constants, and without what must stand above all else. Lines stay where they are.
 */
export function bodyOf(
  { text, directives, constants }: Source,
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
    ...directives.map((span): Edit => [span, '']),
    ...bound.flatMap((variable, at) =>
      rebound(variable, at, variable === output || variable === scratch),
    ),
    ...[...constants.values()].flatMap((constant): Edit[] => {
      const { name } = constant;
      const size = sizes[name];
      const field = `manifest.sizes.${name}`;
      const value = Object.hasOwn(tunables, name)
        ? values[name]
        : typeof size === 'string'
          ? evaluate(size, names, field)
          : size;
      return value === undefined ? [] : [[constant, declared(constant, value)]];
    }),
  ];
  return edited(text, edits);
}

type Edit = readonly [where: Span, text: string];

function rebound({ written }: Variable, binding: number, isWritten: boolean): Edit[] {
  const { attributes, access } = written;
  return [
    [attributes, `@group(0) @binding(${binding}) `],
    ...(access && !isWritten ? [[access, 'read'] as const] : []),
  ];
}

/** A constant of the source with another value, of the same type. */
function declared({ name, type, value: initial }: Constant, value: TunableValue): string {
  const number = isWord(value) ? constantName(value) : value;
  if (type !== '') return `const ${name}: ${type} = ${type}(${number});`;
  const suffix = /[uif]$/.exec(initial)?.[0] ?? '';
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
