/** One timed sample: `dispatches` back-to-back runs of the kernel, all of its passes each. */
export interface Sample {
  /** Time of the whole sample by the executor's timer, ns. */
  readonly ns: number;
  /** Wall time of the same batch, ns; `ns <= wallNs` or the timer is broken. */
  readonly wallNs: number;
}
