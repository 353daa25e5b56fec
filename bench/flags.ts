import { parseArgs } from 'node:util';

/** A flag with a default always has a value; one without may be absent. */
type Flags<D> = { readonly [K in keyof D]: D[K] extends string ? string : string | undefined };

/**
 * The values of a program's flags, or their defaults. For --help, prints the usage and exits with 0;
 * for an unknown flag, prints the reason and the usage and exits with 2.
 */
export function flagsOf<const D extends Readonly<Record<string, string | undefined>>>(
  usage: string,
  defaults: D,
): Flags<D> {
  const options = Object.entries(defaults).map(
    ([name, text]) =>
      [name, { type: 'string', ...(text !== undefined && { default: text }) }] as const,
  );
  try {
    const { values } = parseArgs({
      options: { ...Object.fromEntries(options), help: { type: 'boolean' } },
    });
    if (!values.help) return values as Flags<D>;
  } catch (error) {
    refuse(`${error instanceof Error ? error.message : error}\n${usage}`);
  }
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}

/** The number of a flag that counts something. Exits with 2 if it is not one. */
export function countOf<K extends string>(flags: Readonly<Record<K, string>>, name: K): number {
  const value = Number(flags[name]);
  if (Number.isInteger(value) && value > 0) return value;
  return refuse(`--${name} must be a whole number above 0, not ${flags[name]}`);
}

/** The value of a flag that is one of a few. Exits with 2 if it is not. */
export function choiceOf<K extends string, V extends string>(
  flags: Readonly<Record<K, string>>,
  name: K,
  choices: readonly V[],
): V {
  const found = choices.find((choice) => choice === flags[name]);
  return found ?? refuse(`--${name} must be one of ${choices.join(', ')}, not ${flags[name]}`);
}

/** The items whose name matches a flag's pattern. Exits with 2 if there are none. */
export function matching<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  { flag, pattern }: { readonly flag: string; readonly pattern: string },
): T[] {
  let wanted: RegExp;
  try {
    wanted = new RegExp(pattern);
  } catch (error) {
    return refuse(`${flag}: ${error instanceof Error ? error.message : error}`);
  }
  const found = items.filter((item) => wanted.test(nameOf(item)));
  if (found.length > 0) return found;
  const names = items.map((item) => `  ${nameOf(item)}`);
  return refuse([`${flag} ${pattern} matches none of:`, ...names].join('\n'));
}

/** Prints why the program cannot do what was asked, and exits with 2. */
export function refuse(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
