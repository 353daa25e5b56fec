/** Of everything that is measured, wherever it is handed out. SPDX. */
export const DATA_LICENCE = 'CC0-1.0';
