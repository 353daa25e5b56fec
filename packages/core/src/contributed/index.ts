/** Kernels that people bring: who measures them imports nothing of this. */

export { batteryOf, batterySweep, type OnlyValues, takenShape } from './battery';
export * from './checked';
export * from './engines';
export { hasManifest } from './file';
export { type Guess, guess } from './guess';
export { admitKernel, checkKernel, readKernel } from './kernel';
export * from './manifest';
export { requirementsOfShape, roundedUp } from './names';
export * from './scales';
export { kernelTemplate } from './template';
