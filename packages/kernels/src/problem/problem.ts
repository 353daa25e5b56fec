import type { Dtype } from './dtype';
import type { Epilogue } from './epilogue';
import type { OPS, OpId } from './ops';
import type { Regime } from './regime';

/** The shape of an op, by its dimensions: `{ m, n, k }`. */
type ShapeOf<Id extends OpId> = ReturnType<(typeof OPS)[Id]['shape']>;
export type Shape = ShapeOf<OpId>;

/**
 * A problem: op + shape + dtype, put through an epilogue if there is one, on inputs as usual or in a regime.
 * The variant says how.
 */
export type Problem<Id extends OpId = OpId> = {
  readonly [Each in Id]: {
    readonly op: Each;
    readonly shape: ShapeOf<Each>;
    readonly dtype: Dtype;
    readonly regime?: Regime | undefined;
    readonly epilogue?: Epilogue | undefined;
  };
}[Id];
