import type { PrismaClient } from '@tilemark/db';
import { InputError } from '@tilemark/kernels';
import type { Profile } from '../../../measure/device';
import type { RooflineSurvey } from '../../../measure/roofline';
import { toJson } from '../database';
import { isTrustedToken } from '../trust';
import { lockDevice, moveRoofs } from './move';

/** Keeps a survey; a trusted worker's may raise the roof. Throws InputError for a worker of another device. */
export const recordSurvey = (
  db: PrismaClient,
  {
    survey,
    ...place
  }: {
    readonly deviceKey: string;
    readonly profile: Profile;
    readonly workerId: string;
    readonly survey: RooflineSurvey;
  },
): Promise<void> =>
  db.$transaction(async (tx) => {
    const { deviceKey, workerId } = place;
    const worker = await tx.worker.findUnique({ where: { id: workerId } });
    if (worker?.deviceKey !== deviceKey) {
      throw new InputError(`The worker's device is not ${deviceKey}.`, 'deviceKey');
    }
    const { tokenId } = worker;
    const decides = await isTrustedToken(tx, tokenId);
    await lockDevice(tx, deviceKey);
    await tx.roofline.create({ data: { ...place, tokenId, content: toJson(survey) } });
    if (decides) await moveRoofs(tx, deviceKey);
  });
