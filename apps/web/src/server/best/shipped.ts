import { type Evidence, isOn, shippedEvidence } from '@tilemark/core';

/** The times that ship for devices like one. */
export const shippedOn = (key: string): readonly Evidence[] =>
  shippedEvidence().filter(({ device }) => isOn(device, { key }));
