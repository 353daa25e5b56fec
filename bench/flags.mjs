import { parseArgs } from 'node:util';

/**
 * What a program was asked for: each flag's text, or its default. Prints the usage and ends
 * with 0 for --help; ends with 2, the reason and the usage for a flag it does not know.
 *
 * @param {string} usage
 * @param {Readonly<Record<string, string | undefined>>} defaults by flag; undefined where it has none
 * @returns {Record<string, string>}
 */
export function flagsOf(usage, defaults) {
  const options = Object.entries(defaults).map(([name, value]) => [
    name,
    { type: 'string', ...(value !== undefined && { default: value }) },
  ]);
  const { help, ...flags } = parsed(Object.fromEntries(options), usage);
  if (help) {
    process.stdout.write(`${usage}\n`);
    process.exit(0);
  }
  return flags;
}

function parsed(options, usage) {
  try {
    return parseArgs({ options: { ...options, help: { type: 'boolean' } } }).values;
  } catch (error) {
    return refuse(`${error.message}\n${usage}`);
  }
}

/**
 * The number of a flag that counts something. Ends the program with 2 where it is none.
 *
 * @param {Readonly<Record<string, string>>} flags
 * @param {string} name
 * @returns {number}
 */
export function countOf(flags, name) {
  const value = Number(flags[name]);
  if (Number.isInteger(value) && value > 0) return value;
  return refuse(`--${name} ${flags[name]}: give a whole number above 0`);
}

/**
 * Ends the program: what was asked for cannot be done, and nothing was.
 *
 * @param {string} message
 * @returns {never}
 */
export function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
