'use client';

import { type DeviceRef, deviceLabel } from '@tilemark/core';
import { useRouter } from 'next/navigation';
import { z } from 'zod';
import { Button } from '@/ui/button';
import { InputField } from '@/ui/field';
import { useRequestForm } from '@/ui/form';
import { Failure } from '@/ui/notice';
import { ask } from '@/ui/request';

const requestSchema = z.object({
  label: z.union([z.literal('').transform(() => null), deviceLabel]),
});

/** What a device is called beside its name; for admins. */
export function LabelForm({ device }: { device: Pick<DeviceRef, 'key' | 'label'> }) {
  const router = useRouter();
  const { failure, field, isPending, onSubmit } = useRequestForm({
    id: 'device',
    schema: requestSchema,
    defaultValues: { label: device.label ?? '' },
    send: async (request) => {
      const url = `/api/v1/devices/${encodeURIComponent(device.key)}/label`;
      const answer = await ask(url, { body: JSON.stringify(request) });
      if (answer.ok) router.refresh();
      return answer;
    },
  });
  return (
    <form onSubmit={onSubmit} noValidate className="space-y-2 border-t border-line px-4 py-3">
      <div className="flex items-end gap-2">
        <InputField {...field('label')} label="Label" placeholder="laptop" />
        <Button type="submit" disabled={isPending}>
          Save
        </Button>
      </div>
      <Failure why={failure} />
    </form>
  );
}
