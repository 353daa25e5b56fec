import { z } from 'zod';

/**
 * The most that a request may bring, of everything that has no other bound: the one table that
 * schemas, the reading of bodies and workers go by. Each is several times what the product itself
 * sends, so that nobody meets one by working.
 */
export const MAXIMA = {
  /** Bytes of a body. `outcome` may be sent as gzip. */
  bytes: {
    body: 1_000_000,
    kernel: 2_000_000,
    import: 64_000_000,
    outcome: { sent: 2_000_000, unpacked: 4_000_000 },
  },
  /** Lists and objects within each other. */
  depth: 16,
  /** Numbers, texts, lists and objects of a body, or of one result of an import. */
  values: 80_000,
  /** Results in a file: as many as a sweep has runs. */
  results: 20_000,
  /** Characters of a text. */
  characters: {
    /** A name or a version. */
    word: 120,
    /** A description, a key. */
    line: 400,
    /** A variant with every value of its tunables. */
    address: 2_000,
    /** Why a run ended as it did: so much is read of it, and so much is kept. */
    told: 1_000_000,
    reason: 4_000,
    /** The same in a list. */
    reasonInList: 400,
    source: 512 * 1024,
  },
  /** Entries of a list of words: features, toggles, versions. */
  words: 200,
  /** Timed in one series: twice what the longest policy takes. */
  samples: 30_000,
  /** Of a series, and what is noted of one. */
  batches: 2_000,
  discarded: 100,
  /** Of a compiler on one kernel. */
  remarks: 20,
  environments: 200,
  /** Copies and peaks of a survey. */
  probes: 200,
  /** Tunables of a variant, parameters of a suite. */
  parameters: 64,
  /** Runs that a heartbeat names. */
  runsInHand: 200,
} as const;

const SHORTENED = ' … (shortened)';

/** A text as it is kept and shown: what is longer ends with a mark. Never parts a pair of surrogates. */
export function shortened(text: string, most: number = MAXIMA.characters.reason): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - SHORTENED.length).replace(/[\uD800-\uDBFF]$/, '')}${SHORTENED}`;
}

const { characters } = MAXIMA;
export const word = z.string().max(characters.word);
export const line = z.string().max(characters.line);
export const address = z.string().max(characters.address);
export const words = z.array(line).max(MAXIMA.words);
/** A sentence that a machine wrote: the result counts, whatever a driver has to say about it. */
export const reason = z
  .string()
  .max(characters.told)
  .overwrite((text) => shortened(text));
export const source = z.string().max(characters.source);
/** An object that names its values itself. */
export const named = <Value extends z.ZodType>(key: z.ZodString, value: Value, most: number) =>
  z
    .record(key, value)
    .refine((all) => Object.keys(all).length <= most, `must have at most ${most} entries`);

/** Longer work makes others wait for their answers, ms. */
const AT_ONCE_MS = 8;

/**
 * Between steps of long work: lets others have their turn where the steps since the last pause took
 * as long as one may have at once.
 */
export function pauses(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < AT_ONCE_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    sinceMs = performance.now();
  };
}
