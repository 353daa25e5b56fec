'use client';

import { useEffect, useState } from 'react';
import { Chip } from '@/ui/field';

/** The GPU of the reader's browser, as a choice of the form; nothing without WebGPU. */
export function ThisBrowser() {
  const [info, setInfo] = useState<GPUAdapterInfo | null>(null);
  useEffect(() => {
    navigator.gpu?.requestAdapter().then(
      (adapter) => setInfo(adapter?.info ?? null),
      () => setInfo(null),
    );
  }, []);
  if (!info?.vendor) return null;
  const { vendor, architecture } = info;
  return (
    <Chip name="gpu" value={[vendor, architecture].filter(Boolean).join('/')}>
      This browser: {vendor} {architecture}
    </Chip>
  );
}
