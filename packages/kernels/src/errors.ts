/** The shader did not compile. Recorded as `failed` at stage `compile`, never retried. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
  /** What the compiler said, without the place. */
  readonly reason: string;

  constructor(
    message: string,
    /**
     * 1-based line in the specialised source, with its text and, where known, the column; null if
     * the compiler gave none.
     */
    readonly at: { readonly line: number; readonly text: string; readonly column?: number } | null,
  ) {
    super(at ? `${message} (${placeOf(at)}: ${at.text.trim()})` : message);
    this.reason = message;
  }
}

const placeOf = ({ line, column }: { readonly line: number; readonly column?: number }) =>
  column ? `line ${line}, column ${column}` : `line ${line}`;

/** The kernel wrote outside of its output or its scratch memory. Recorded as `failed` at stage `verify`, never retried. */
export class OutOfBoundsWrite extends Error {
  override readonly name = 'OutOfBoundsWrite';
}

/** The device computes our own reference wrong: nothing can be verified there. Never retried. */
export class ReferenceWrong extends Error {
  override readonly name = 'ReferenceWrong';
}

/** The device was lost, hung or ran out of memory. The GPU child is replaced. */
export class DeviceFault extends Error {
  override readonly name: string = 'DeviceFault';
}

/** The device has no memory left for what was to be allocated; it works on without. */
export class OutOfMemory extends DeviceFault {
  override readonly name = 'OutOfMemory';
}

/** The device has no memory for what an output would be compared with. Recorded as `skipped`. */
export class NoMemoryToVerify extends Error {
  override readonly name = 'NoMemoryToVerify';
  override readonly message = 'not enough memory to verify';
}

/** The input names something that does not exist or is out of range. Nothing was changed. */
export class InputError extends Error {
  override readonly name = 'InputError';
  constructor(
    message: string,
    /** Path of the invalid field, for example `cases[0].tunables.TILE`. */
    readonly field: string,
  ) {
    super(message);
  }
}

/** Throws InputError where the input is wrong. */
export function refuseIf(isWrong: boolean, message: string, field: string): void {
  if (isWrong) throw new InputError(message, field);
}

/**
 * The result of `work`, or null where its input is invalid: of an earlier release, or for a device that it
 * does not fit.
 */
export function ifValid<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
