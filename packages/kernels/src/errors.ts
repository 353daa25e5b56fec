/** The shader did not compile. Recorded as `failed` at stage `compile`, never retried. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
  constructor(
    message: string,
    /** 1-based line in the specialised source, with its text; null where the compiler gave none. */
    readonly at: { readonly line: number; readonly text: string } | null,
  ) {
    super(at ? `${message} (line ${at.line}: ${at.text.trim()})` : message);
  }
}

/** The kernel wrote behind its output. Recorded as `failed` at stage `verify`, never retried. */
export class OutOfBoundsWrite extends Error {
  override readonly name = 'OutOfBoundsWrite';
}

/** The device was lost, hung or ran out of memory. The GPU child is replaced. */
export class DeviceFault extends Error {
  override readonly name = 'DeviceFault';
}

/** What a person asked for does not exist or is out of range. Nothing was changed. */
export class InputError extends Error {
  override readonly name = 'InputError';
  constructor(
    message: string,
    /** Path of the field at fault, for example `cases[0].tunables.TILE`. */
    readonly field: string,
  ) {
    super(message);
  }
}
