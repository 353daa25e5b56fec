import { median } from 'd3-array';
import { z } from 'zod';

/**
 * Energy of a run: what the card's own counter moves by while the same dispatches go on and on.
 * The counter moves in steps, ten times a second on an NVIDIA H200 (2026-11-22), so that a stretch
 * begins and ends with one.
 */

/** Energy that a device has taken, since some moment in the past. */
export interface EnergyMeter {
  readonly source: EnergySource;
  /** Null while there is no reading. */
  readonly joules: () => number | null;
  readonly close: () => void;
}

/** How often and how long it is read. */
export interface EnergyPlan {
  readonly stretches: number;
  readonly stretchNs: number;
}

/** `nvml`: the card's energy counter; `nvidia-smi`, of older results: its instant power, summed up. */
const energySourceSchema = z.enum(['nvml', 'nvidia-smi']);
export type EnergySource = z.infer<typeof energySourceSchema>;

export const energySchema = z.object({
  source: energySourceSchema,
  /** Power without work, just before, W. */
  idleW: z.number().nonnegative(),
  stretches: z
    .array(
      z.object({
        dispatches: z.number().int().positive(),
        ns: z.number().positive(),
        joules: z.number().positive(),
      }),
    )
    .min(1)
    .max(16),
});
export type Energy = z.infer<typeof energySchema>;

/** Energy of a dispatch in the middle stretch, J. */
export const joulesPerDispatch = ({ stretches }: Energy): number =>
  median(stretches, ({ dispatches, joules }) => joules / dispatches) ?? 0;
