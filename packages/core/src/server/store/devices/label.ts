import type { PrismaClient } from '@tilemark/db';

/** Calls a device something beside its name; null: nothing. */
export async function labelDevice(
  db: PrismaClient,
  key: string,
  label: string | null,
): Promise<void> {
  await db.device.updateMany({ where: { key }, data: { label } });
}
