import type { Executor } from '@tilemark/kernels';
import type { OpenDevice } from '../device/device';
import type { Compilable } from './protocol';

/**
 * Compiles what comes next while something else is measured, where that takes nothing from
 * the measurement: on a GPU that keeps its own time.
 */
export class CompileAhead {
  readonly #executor: Executor | null;
  #underWay: Promise<void> = Promise.resolve();

  constructor({ executor, identity }: Pick<OpenDevice, 'executor' | 'identity'>) {
    const isApart = identity.class === 'gpu' && executor.timer.kind === 'timestamp';
    this.#executor = isApart ? executor : null;
  }

  /** Its errors are those of the run that it is for, which meets them again. */
  begin({ variant, problem }: Compilable): void {
    this.#underWay = this.#executor?.compile(variant, problem).catch(() => {}) ?? this.#underWay;
  }

  /** Settles when nothing is being compiled ahead. */
  async idle(): Promise<void> {
    await this.#underWay;
  }
}
