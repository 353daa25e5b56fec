import {
  defaultsOf,
  type Engine,
  type KernelFile,
  opById,
  type Problem,
  SIZE_CONTROL,
  sourceFor,
  withSubgroupSize,
} from '@tilemark/kernels';
import { batteryOf } from './battery';
import { writtenIn } from './file';
import type { Contributed } from './manifest';
import { SUBGROUPS } from './source';
import { type Token, tokensOf } from './tokens';

/**
 * What each compiler of WGSL says of a kernel, in a line: Tint by what compiled and ran, naga by what
 * its reader answers, WebKit, which runs on Apple's systems alone, by what its sources list.
 */
export interface EngineSays {
  readonly engine: Engine;
  readonly says: 'compiles' | 'refuses' | 'not tried';
  /** 1-based, of the author's source; null: of all of it, or of what Tilemark puts around it. */
  readonly line: number | null;
  readonly why: string;
}

export const ENGINE_NAMES: Readonly<Record<Engine, string>> = {
  tint: 'Tint (Chrome, Dawn)',
  naga: 'naga (Firefox, wgpu)',
  webkit: 'WebKit (Safari)',
};

/** naga's answer about a source: its whole report, empty where it has none; or why there is none. */
export type NagaAnswer = { readonly report: string } | { readonly unread: string };

type Read = Pick<Contributed, 'kernel' | 'manifest'>;

/** Every text that naga would have to read where the battery runs: a few, and the default first. */
export const nagaTexts = (contributed: Read): string[] => [
  ...new Set(
    batteryOf(contributed).map(([{ tunables }, problem]) =>
      sourceFor(contributed.kernel, tunables, problem, 'naga'),
    ),
  ),
];

/**
 * @param answers of `nagaTexts`, in order
 * @param lines that the author wrote
 */
export function nagaSays(answers: readonly NagaAnswer[], lines = Infinity): EngineSays {
  const said = { engine: 'naga', line: null } as const;
  for (const answer of answers) {
    if ('unread' in answer) return { ...said, says: 'not tried', why: answer.unread };
    if (answer.report !== '') return { ...said, says: 'refuses', ...faultIn(answer.report, lines) };
  }
  return { ...said, says: 'compiles', why: 'naga 30 reads it; it was not run' };
}

/** The first place of a report, and its reasons: the first line says where, notes say why. */
function faultIn(report: string, lines: number): Pick<EngineSays, 'line' | 'why'> {
  const [first = ''] = report.split('\n', 1);
  const at = Number(/┌─ wgsl:(\d+):/.exec(report)?.[1]);
  const notes = [...report.matchAll(/^ *= (?:note: )?(.*)$/gm)].map(([, note = '']) => note);
  const why = [first.replace(/^error: /, ''), ...notes.filter((note) => !note.includes('http'))];
  return { line: at <= lines ? at : null, why: why.join('; ').replaceAll(/ \[\d+\]/g, '') };
}

/**
 * What the compiler of WebKit knows: Source/WebGPU/WGSL/WGSLEnums.h of WebKit's repository, read on
 * 2026-11-29. Subgroups are of its pull request 68713, of 2026-07-05: releases before have none.
 */
const WEBKIT_KNOWS: Readonly<Record<string, readonly string[]>> = {
  enable: ['clip_distances', 'f16', 'primitive_index', 'subgroups'],
  requires: [
    'packed_4x8_integer_dot_product',
    'pointer_composite_access',
    'readonly_and_readwrite_storage_textures',
    'subgroup_id',
    'subgroup_uniformity',
    'texture_formats_tier1',
    'unrestricted_pointer_parameters',
  ],
  '@builtin': [
    'global_invocation_id',
    'local_invocation_id',
    'local_invocation_index',
    'num_subgroups',
    'num_workgroups',
    'subgroup_id',
    'subgroup_invocation_id',
    'subgroup_size',
    'workgroup_id',
  ],
};

/** @param text as it runs */
export function webkitSays(text: string): EngineSays {
  const engine = 'webkit';
  const lacking = namedIn(tokensOf(text)).find(
    ({ kind, name }) => !WEBKIT_KNOWS[kind]?.includes(name.text),
  );
  if (lacking) {
    const { kind, name } = lacking;
    const why = `lacks ${kind} ${name.text}: by its documentation, not tried`;
    return { engine, says: 'refuses', line: name.line, why };
  }
  const isNew = namedIn(tokensOf(text)).some(({ name }) => name.text === 'subgroups');
  const since = isNew ? '; subgroups since July 2026' : '';
  const why = `its documentation names all that the source uses${since}`;
  return { engine, says: 'not tried', line: null, why };
}

/** What a source names of an extension: by a directive, or as a built-in value. */
function namedIn(tokens: readonly Token[]) {
  return tokens.flatMap((token, at) => {
    const { text: kind } = token;
    if (kind === 'enable' || kind === 'requires') {
      const end = tokens.findIndex(({ text }, i) => i > at && text === ';');
      const names = tokens.slice(at + 1, end).filter(({ text }) => text !== ',');
      return names.map((name) => ({ kind, name }));
    }
    const name = tokens[at + 3];
    const isValue = kind === '@' && tokens[at + 1]?.text === 'builtin' && name;
    return isValue ? [{ kind: '@builtin', name }] : [];
  });
}

/** Something true of a source that compiles, and that its author may not know. */
export interface EngineFinding {
  readonly line: number;
  readonly message: string;
}

/** @param text as it runs */
export function engineFindings(text: string): EngineFinding[] {
  const tokens = tokensOf(text);
  const names = new Set(tokens.map((token) => token.text));
  const lanes = tokens.find((token) => SUBGROUPS.test(token.text));
  const asks = names.has('subgroup_size') || names.has('num_subgroups');
  const halves = tokens.find(
    (token, at) => token.text === 'bitcast' && /^<vec[24](<f16>|h)>/.test(textFrom(tokens, at + 1)),
  );
  return [
    ...(lanes && !asks
      ? [
          {
            line: lanes.line,
            message:
              'uses subgroups without asking for subgroup_size: by device, they have 4 to 128 lanes',
          },
        ]
      : []),
    ...(halves
      ? [
          {
            line: halves.line,
            message:
              'takes halves out of words by bitcast, which naga refuses or computes wrongly: unpack2x16float is exact in every engine',
          },
        ]
      : []),
    ...racedCounters(tokens),
  ];
}

/** Tokens that are looked at of a call, which may never end. */
const MOST_OF_CALL = 32;

/** Atomics that are stored with what was loaded from them: another thread may come between. */
function racedCounters(tokens: readonly Token[]): EngineFinding[] {
  const loaded = new Map<string, string | undefined>();
  return tokens.flatMap(({ line, text }, at) => {
    if (text === 'fn') loaded.clear();
    if (text !== 'atomicLoad' && text !== 'atomicStore') return [];
    const call = tokens.slice(at + 2, at + MOST_OF_CALL).map((token) => token.text);
    const end = call.findIndex((part) => part === ',' || part === ')');
    const place = call.slice(0, end).join('');
    const value = call.slice(end, call.indexOf(';'));
    const [name, colon] = [tokens[at - 4]?.text, tokens[at - 3]?.text];
    const isNamed = tokens[at - 1]?.text === '=';
    if (text === 'atomicLoad' && isNamed)
      loaded.set(place, colon === ':' ? name : tokens[at - 2]?.text);
    const isSame =
      value.includes(loaded.get(place) ?? '') || value.join('').includes(`atomicLoad(${place}`);
    if (text === 'atomicLoad' || !isSame) return [];
    const what = `${place.slice(1)} is loaded and stored in two steps`;
    return [{ line, message: `${what}: two threads can get the same value; use atomicAdd` }];
  });
}

const textFrom = (tokens: readonly Token[], at: number) =>
  tokens
    .slice(at, at + 6)
    .map(({ text }) => text)
    .join('');

/** The text of a kernel's defaults in its first dtype, as an engine gets it. */
export function defaultText({ kernel }: Pick<Contributed, 'kernel'>, engine: Engine): string {
  const { dtypes, op, tunables } = kernel;
  const problem = { op, shape: opById(op).square(64), dtype: dtypes[0] } as Problem;
  return sourceFor(kernel, defaultsOf(tunables), problem, engine);
}

/** The same kernel in subgroups of so many lanes; null: its author chose their number. */
export function withLanes(
  { file, manifest }: Pick<Contributed, 'file' | 'manifest'>,
  lanes: number,
): KernelFile | null {
  if (file.source.includes('@subgroup_size')) return null;
  const features = [...manifest.features, SIZE_CONTROL];
  return {
    ...file,
    source: withSubgroupSize(file.source, lanes),
    manifest: JSON.stringify({ ...writtenIn(file), features }),
  };
}
