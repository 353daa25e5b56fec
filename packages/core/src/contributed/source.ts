import { type Dtype, InputError, ifValid, type OpId, opById, refuseIf } from '@tilemark/kernels';
import { bisectRight } from 'd3-array';
import { evaluate, type Names } from './expression';

/** A place in the author's file, as the field of an error: `wgsl:12`. */
export const atLine = (line: number): string => `wgsl:${line}`;

export interface EntryPoint {
  readonly name: string;
  readonly line: number;
  /** The arguments of `@workgroup_size`, as written. */
  readonly workgroupSize: readonly string[];
}

interface BindingDeclaration {
  readonly binding: number;
  readonly access: 'read' | 'read_write' | 'uniform';
  readonly line: number;
}

interface ConstantDeclaration {
  readonly value: string;
  readonly line: number;
  /** The text of the declaration in the source, of an `override` that a tunable may stand for. */
  readonly override: { readonly start: number; readonly end: number; readonly type: string } | null;
}

/** What a source declares, as far as an answer is wanted before a compiler sees it. */
export interface Declarations {
  /** The source, comments blanked: what a name must appear in to be used. */
  readonly code: string;
  /** `enable`, `requires` and `diagnostic`, which must stand before all else. */
  readonly directives: readonly { readonly text: string; readonly line: number }[];
  /** Where they end. */
  readonly directivesEnd: number;
  /** The fields of the uniform's struct; null where it is none, or has other fields than numbers. */
  readonly shapeFields: { readonly names: readonly string[]; readonly line: number } | null;
  readonly entryPoints: readonly EntryPoint[];
  readonly bindings: readonly BindingDeclaration[];
  /** Constants of the module, overrides included, whose value is an expression of names. */
  readonly constants: ReadonlyMap<string, ConstantDeclaration>;
}

// Every repetition is bounded, so that no source takes long to read.
const ARGUMENTS = String.raw`\([^()]{0,200}(?:\([^()]{0,200}\)[^()]{0,200}){0,8}\)`;
const FUNCTION = new RegExp(
  String.raw`((?:@\w{1,40}\s{0,40}(?:${ARGUMENTS}\s{0,40})?){1,8})fn\s+(\w+)\s*\(`,
  'g',
);
const WORKGROUP_SIZE = new RegExp(String.raw`@workgroup_size\s*(${ARGUMENTS})`);
const BINDING = /@(?:group|binding)\s*\(\s*\d+\s*[iu]?\s*\)/g;
const VARIABLE =
  /^@(group|binding)\s*\(\s*(\d+)\w?\s*\)\s*@(group|binding)\s*\(\s*(\d+)\w?\s*\)\s*var\s*(?:<\s*(\w+)\s*(?:,\s*(\w+)\s*)?>)?/;
const CONSTANT =
  /(?:@id\s*\(\s*\d+\s*\)\s{0,40})?\b(const|override)\s+(\w+)\s*(?::\s*(\w+)\s*)?(?:=\s*([^;]{1,200}))?;/g;
const DIRECTIVE = /^\s*((?:enable|requires)\s[^;]{1,200};|diagnostic\s*\([^;]{1,200}\)\s*;)/;
const UNIFORM = /\bvar\s*<\s*uniform\s*>\s*\w+\s*:\s*(\w+)\s*;/;
const FIELD = /^(?:@\w+\s*\([^)]*\)\s*)*(\w+)\s*:\s*(\w+)$/;

/** Reads a source. Throws InputError at the line that cannot stay. */
export function declarationsOf(source: string): Declarations {
  const code = withoutComments(source);
  const breaks = [...code.matchAll(/\n/g)].map(({ index }) => index);
  const lineAt = (index: number) => bisectRight(breaks, index) + 1;
  const directives: { text: string; line: number }[] = [];
  let directivesEnd = 0;
  for (let match = DIRECTIVE.exec(code); match; ) {
    const [all, text = ''] = match;
    directivesEnd += all.length;
    directives.push({ text, line: lineAt(directivesEnd - 1) });
    match = DIRECTIVE.exec(code.slice(directivesEnd));
  }
  const entryPoints = [...code.matchAll(FUNCTION)].flatMap((match) => {
    const [, attributes = '', name = ''] = match;
    if (!/@compute\b/.test(attributes)) return [];
    const size = WORKGROUP_SIZE.exec(attributes)?.[1]?.slice(1, -1) ?? '';
    const workgroupSize = size.split(',').map((part) => part.trim());
    const line = lineAt(match.index + match[0].lastIndexOf('fn'));
    return [{ name, line, workgroupSize: workgroupSize.filter(Boolean) }];
  });
  return {
    code,
    entryPoints,
    directives,
    directivesEnd,
    shapeFields: shapeFieldsOf(code, lineAt),
    bindings: bindingsOf(code, lineAt),
    constants: new Map(
      [...code.matchAll(CONSTANT)].map((match) => {
        const [all, kind, name = '', type = '', value = ''] = match;
        const end = match.index + all.length;
        const override = kind === 'override' ? { start: match.index, end, type } : null;
        return [name, { value, line: lineAt(end - 1), override }];
      }),
    ),
  };
}

function shapeFieldsOf(
  code: string,
  lineAt: (index: number) => number,
): Declarations['shapeFields'] {
  const type = UNIFORM.exec(code)?.[1];
  if (type === undefined) return null;
  const struct = new RegExp(String.raw`\bstruct\s+${type}\s*\{([^{}]{0,4000})\}`).exec(code);
  if (!struct) return null;
  const fields = (struct[1] ?? '')
    .split(',')
    .map((field) => field.trim())
    .filter(Boolean)
    .map((field) => FIELD.exec(field));
  const isNumbers = fields.every((field) => ['u32', 'i32'].includes(field?.[2] ?? ''));
  if (!isNumbers) return null;
  return { names: fields.map((field) => field?.[1] ?? ''), line: lineAt(struct.index) };
}

/** The attributes of a variable come in either order. */
function bindingsOf(code: string, lineAt: (index: number) => number): BindingDeclaration[] {
  const bindings: BindingDeclaration[] = [];
  let end = 0;
  for (const { index } of code.matchAll(BINDING)) {
    if (index < end) continue;
    const line = lineAt(index);
    const match = VARIABLE.exec(code.slice(index, index + 400));
    const [all = '', first, one, , other, space = '', access = 'read'] = match ?? [];
    refuseIf(!match, 'write @group(0) @binding(N) var<...> name: type;', atLine(line));
    const [group, binding] = first === 'group' ? [one, other] : [other, one];
    refuseIf(group !== '0', 'every binding is in group 0', atLine(line));
    refuseIf(
      space !== 'storage' && space !== 'uniform',
      `binding ${binding} must be a buffer: var<storage, read>, var<storage, read_write> or var<uniform>`,
      atLine(line),
    );
    const kind = space === 'uniform' ? space : access === 'read' ? access : 'read_write';
    bindings.push({ binding: Number(binding), access: kind, line });
    end = index + all.length;
  }
  return bindings;
}

const WORDS = {
  read: 'var<storage, read>',
  read_write: 'var<storage, read_write>',
  uniform: 'var<uniform>',
} as const;

/**
 * Throws InputError at the binding that is not what a kernel of the op is bound to, at `dtypes` where
 * they do not all bind the same.
 */
export function checkBindings(
  op: OpId,
  dtypes: readonly Dtype[],
  hasScratch: boolean,
  { bindings }: Declarations,
): void {
  const { square, stored } = opById(op);
  const names = Object.keys(square(1)).join(', ');
  const [buffers = [], ...others] = dtypes.map((dtype) => {
    const { inputs, output } = stored(square(1), dtype);
    return [...inputs, output].flatMap(({ parts }) => parts.map(({ binding }) => binding));
  });
  refuseIf(
    others.some((other) => other.join() !== buffers.join()),
    'these do not have the same bindings: write a kernel for each',
    'dtypes',
  );
  const wanted = [
    ...buffers.map((what, i) => ({
      what,
      access: i < buffers.length - 1 ? ('read' as const) : ('read_write' as const),
    })),
    { what: `the shape (u32: ${names})`, access: 'uniform' as const },
    ...(hasScratch ? [{ what: 'scratch memory', access: 'read_write' as const }] : []),
  ];
  const all = wanted.map(({ what }, i) => `${i} = ${what}`).join(', ');
  for (const { binding, access, line } of bindings) {
    const { what, access: right } = wanted[binding] ?? {};
    refuseIf(!what, `there is no binding ${binding}; those of ${op}: ${all}`, atLine(line));
    if (!right || access === right) continue;
    throw new InputError(
      `binding ${binding} of ${op} is ${what}: declare it ${WORDS[right]}, not ${WORDS[access]} (bindings: ${all})`,
      atLine(line),
    );
  }
}

/**
 * The dimensions in the order of the uniform's fields, by their names (`M`, `k`, `rows`); null stands
 * for padding. Undefined: the op's own order. Throws InputError where a name cannot be told.
 */
export function shapeOrderOf(
  op: OpId,
  { shapeFields }: Declarations,
): readonly (string | null)[] | undefined {
  if (!shapeFields) return undefined;
  const { names, line } = shapeFields;
  const wanted = Object.keys(opById(op).square(1));
  const known = names.map(
    (name) => wanted.find((dimension) => dimension === name.toLowerCase()) ?? null,
  );
  const is = `the uniform is ${wanted.join(', ')}`;
  refuseIf(
    names.length > 4,
    `${is}; your struct has ${names.length} fields: keep the dimensions and make the others constants`,
    atLine(line),
  );
  if (known.every((dimension, at) => dimension === null || dimension === wanted[at])) {
    return undefined;
  }
  const missing = wanted.filter((dimension) => !known.includes(dimension));
  const others = names.filter((name, at) => known[at] === null && !/pad|unused|^_/i.test(name));
  // One name that is left, for one dimension that is left.
  const isTold = others.length === 0 || (others.length === 1 && missing.length === 1);
  const isTwice = known.some(
    (dimension, at) => dimension !== null && known.indexOf(dimension) < at,
  );
  refuseIf(
    !isTold || isTwice,
    `${is}; which of them your fields ${names.join(', ')} are cannot be told: name them so`,
    atLine(line),
  );
  return known.map((dimension, at) =>
    dimension === null && names[at] === others[0] ? (missing[0] ?? null) : dimension,
  );
}

/** Threads of a workgroup along x, y, and z. Throws InputError at the entry point. */
export function workgroupSizeOf(
  { workgroupSize, line }: EntryPoint,
  { constants }: Declarations,
  tunables: Names,
): [x: number, y: number, z: number] {
  const names: Record<string, number> = { ...tunables };
  // In the order of the file, so that one may use those above it. Others are not sizes.
  for (const [name, { value }] of constants) {
    const number = ifValid(() => evaluate(value, names, name, Math.floor));
    if (number !== null) names[name] ??= number;
  }
  const [x = 1, y = 1, z = 1] = workgroupSize.map((side) =>
    evaluate(side, names, atLine(line), Math.floor),
  );
  return [x, y, z];
}

/** Comments become blanks, and lines stay where they are. Block comments nest, as in WGSL. */
function withoutComments(source: string): string {
  let code = '';
  let depth = 0;
  for (let at = 0; at < source.length; ) {
    const two = source.slice(at, at + 2);
    if (two === '/*') depth++;
    if (depth === 0 && two === '//') {
      const end = source.indexOf('\n', at);
      const next = end < 0 ? source.length : end;
      code += ' '.repeat(next - at);
      at = next;
      continue;
    }
    const isMark = two === '/*' || (depth > 0 && two === '*/');
    const text = isMark ? '  ' : (source[at] ?? '');
    code += depth > 0 && text !== '\n' ? ' '.repeat(text.length) : text;
    if (depth > 0 && two === '*/') depth--;
    at += text.length;
  }
  return code;
}
