import { refuse } from './flags.mjs';

/**
 * The items whose name a pattern matches. Ends the program with a message and code 2 where
 * there is none, or where it is no pattern.
 *
 * @template T
 * @param {readonly T[]} items
 * @param {(item: T) => string} nameOf
 * @param {{ flag: string, pattern: string }} asked
 * @returns {T[]}
 */
export function chosen(items, nameOf, { flag, pattern }) {
  const wanted = regExp({ flag, pattern });
  const found = items.filter((item) => wanted.test(nameOf(item)));
  if (found.length > 0) return found;
  const names = items.map((item) => `  ${nameOf(item)}`);
  return refuse([`${flag} ${pattern} matches none of`, ...names].join('\n'));
}

function regExp({ flag, pattern }) {
  try {
    return new RegExp(pattern);
  } catch (error) {
    return refuse(`${flag}: ${error.message}`);
  }
}
