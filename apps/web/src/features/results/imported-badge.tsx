import type { ImportedMark } from '@tilemark/core';
import { Badge } from '@/ui/badge';
import { formatMoment } from '@/ui/format';

/** Marks a result that somebody brought in a file; nothing for what this grid measured. */
export function ImportedBadge({ of }: { of: ImportedMark | null | undefined }) {
  if (!of) return null;
  const whole = `imported by ${of.by}, ${formatMoment(new Date(of.at))}`;
  return (
    <span title={whole}>
      <Badge tone="amber">imported</Badge>
      <span className="sr-only">, {whole}</span>
    </span>
  );
}
