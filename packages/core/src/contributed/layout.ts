import type { TypeInfo } from 'wgsl_reflect';

/** A number at a fixed place of a buffer: a field, the component of a vector, an array's element. */
export interface Leaf {
  /** Within its variable: `dims.x`, `strides[1]`; empty: the variable is a number. */
  readonly path: string;
  readonly scalar: string;
  /** In bytes. */
  readonly offset: number;
}

/** Whether a field fills a gap between the kernel's own sizes. */
export const isPad = (name: string) => /pad|unused|^_|^reserved/i.test(name);

/** A type of WGSL, as the parser tells it. */
export type Type = TypeInfo & {
  readonly format?: Type | null;
  readonly count?: number;
  readonly stride?: number;
  readonly members?: readonly { name: string; type: Type; offset: number }[];
};

/** The element of an array as long as its buffer, which may be the only member of a struct. */
export function endlessOf(type: Type): Type | null {
  if (type.isArray) return (type.count ?? 0) === 0 ? (type.format ?? null) : null;
  const [only, ...others] = type.members ?? [];
  return only && others.length === 0 ? endlessOf(only.type) : null;
}

export function scalarOf(type: Type): string {
  const short = /^(?:vec|mat)\w*([uifh])$/.exec(type.name)?.[1];
  if (short) return SHORT[short] ?? type.name;
  return type.format ? scalarOf(type.format) : type.name;
}

const SHORT: Readonly<Record<string, string>> = { u: 'u32', i: 'i32', f: 'f32', h: 'f16' };

export function leavesIn(type: Type, length: number, path: string, offset: number): Leaf[] {
  if (type.isArray && type.format) {
    const { count = 0, stride = 0, format } = type;
    return Array.from({ length: count || length }, (_, i) =>
      leavesIn(format, length, `${path}[${i}]`, offset + i * (stride || 4)),
    ).flat();
  }
  if (type.isStruct) {
    return (type.members ?? []).flatMap((member) =>
      leavesIn(
        member.type,
        length,
        path ? `${path}.${member.name}` : member.name,
        offset + member.offset,
      ),
    );
  }
  const [, size] = /^vec([234])/.exec(type.name) ?? [];
  const scalar = scalarOf(type);
  const bytes = scalar === 'f16' ? 2 : 4;
  if (size === undefined) return [{ path, scalar, offset }];
  return ['x', 'y', 'z', 'w'].slice(0, Number(size)).map((component, i) => ({
    path: path ? `${path}.${component}` : component,
    scalar,
    offset: offset + i * bytes,
  }));
}
