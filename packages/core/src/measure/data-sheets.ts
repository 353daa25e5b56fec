/**
 * What vendors say their GPUs can do at most, as they print it: a bound for results from devices
 * that this grid has not surveyed, and for surveys themselves (data-sheet.ts). A model that is not
 * listed has no such bound. To add one, copy its line from the vendor's document named above it.
 */

/** One model; its name is found in what the driver calls the device. */
export interface DataSheet {
  readonly model: string;
  /** Vector multiply-adds at the boost clock, each counted as two operations, TFLOP/s. */
  readonly f32: number;
  /** The same in f16, where it is not twice f32. */
  readonly f16?: number;
  /** To memory, GB/s. */
  readonly bandwidth: number;
  /** Last-level cache; null where the vendor does not say. */
  readonly cacheMiB: number | null;
}

type Row = readonly [
  model: string,
  f32: number,
  bandwidth: number,
  cacheMiB: number | null,
  f16?: number,
];

const ROWS: readonly Row[] = [
  // NVIDIA H200, H100, A100, L40S, L4, A10, T4 and V100 data sheets.
  ['H200', 67, 4800, 50],
  ['H100', 67, 3350, 50],
  ['H100 PCIe', 51.2, 2000, 50],
  ['A100', 19.5, 2039, 40, 78],
  ['L40S', 91.6, 864, 96],
  ['L4', 30.3, 300, 48],
  ['A10', 31.2, 600, 6],
  ['A10G', 35, 600, 6],
  ['Tesla T4', 8.1, 320, 4],
  ['V100', 15.7, 900, 6],
  // NVIDIA RTX Blackwell, Ada and Ampere GA102 GPU architecture white papers.
  ['RTX 5090', 104.8, 1792, 96],
  ['RTX 5080', 56.3, 960, 64],
  ['RTX 5070 Ti', 43.9, 896, 48],
  ['RTX 5070', 30.9, 672, 48],
  ['RTX 4090', 82.6, 1008, 72],
  ['RTX 4080 SUPER', 52.2, 736, 64],
  ['RTX 4080', 48.7, 717, 64],
  ['RTX 4070 Ti SUPER', 44.1, 672, 48],
  ['RTX 4070 Ti', 40.1, 504, 48],
  ['RTX 4070 SUPER', 35.5, 504, 48],
  ['RTX 4070', 29.1, 504, 36],
  ['RTX 4060 Ti', 22.1, 288, 32],
  ['RTX 4060', 15.1, 272, 24],
  ['RTX 3090 Ti', 40, 1008, 6],
  ['RTX 3090', 35.6, 936, 6],
  ['RTX 3080 Ti', 34.1, 912, 6],
  // Two cards have this name: the one of 12 GB; that of 10 GB has 29.8, 760 and 5.
  ['RTX 3080', 30.6, 912, 6],
  ['RTX 3070 Ti', 21.7, 608, 4],
  ['RTX 3070', 20.3, 448, 4],
  ['RTX 3060 Ti', 16.2, 608, 4],
  ['RTX 3060', 12.7, 360, 3],
  // AMD product specifications (peak single precision with dual issue).
  ['RX 9070 XT', 48.7, 645, 64],
  ['RX 9070', 36.1, 645, 64],
  ['RX 7900 XTX', 61.4, 960, 96],
  ['RX 7900 XT', 51.6, 800, 80],
  ['RX 7800 XT', 37.3, 624, 64],
  ['RX 7700 XT', 35.2, 432, 48],
  ['RX 7600', 21.8, 288, 32],
  ['RX 6950 XT', 23.7, 576, 128],
  ['RX 6900 XT', 23, 512, 128],
  ['RX 6800 XT', 20.7, 512, 128],
  ['RX 6800', 16.2, 512, 128],
  ['RX 6700 XT', 13.2, 384, 96],
  ['RX 6600 XT', 10.6, 256, 32],
  ['Instinct MI300X', 163.4, 5300, 256],
  // Intel Arc product specifications (vector engines at the maximum clock).
  ['Arc B580', 14.6, 456, 18],
  ['Arc B570', 12.2, 380, 14],
  ['Arc A770', 19.7, 560, 16],
  ['Arc A750', 17.2, 512, 16],
  ['Arc A580', 12.3, 512, 16],
  ['Arc A380', 5, 186, 6],
  // Apple technical specifications for bandwidth; operations are GPU cores x 128 lanes x 2 x the clock seen.
  ['Apple M1', 2.6, 68, null],
  ['Apple M1 Pro', 5.3, 200, null],
  ['Apple M1 Max', 10.6, 400, null],
  ['Apple M1 Ultra', 21.2, 800, null],
  ['Apple M2', 3.6, 100, null],
  ['Apple M2 Pro', 6.8, 200, null],
  ['Apple M2 Max', 13.6, 400, null],
  ['Apple M2 Ultra', 27.2, 800, null],
  ['Apple M3', 4.1, 100, null],
  ['Apple M3 Pro', 7.4, 150, null],
  ['Apple M3 Max', 16.4, 400, null],
  ['Apple M3 Ultra', 32.8, 819, null],
  ['Apple M4', 4.7, 120, null],
  ['Apple M4 Pro', 9.3, 273, null],
  ['Apple M4 Max', 18.6, 546, null],
];

export const DATA_SHEETS: readonly DataSheet[] = ROWS.map(
  ([model, f32, bandwidth, cacheMiB, f16]) => ({
    model,
    f32,
    bandwidth,
    cacheMiB,
    ...(f16 !== undefined && { f16 }),
  }),
);
