import type { KernelDetail } from '@tilemark/core';
import { TablePanel } from '@/ui/table';

/** The declared tunables: what each changes and the values it takes, the default marked. */
export function TunablesTable({ kernel }: { kernel: KernelDetail }) {
  return (
    <TablePanel caption={`Tunables of ${kernel.id}`}>
      <thead>
        <tr>
          <th scope="col">Tunable</th>
          <th scope="col">Changes</th>
          <th scope="col">Values (default underlined)</th>
        </tr>
      </thead>
      <tbody>
        {kernel.tunables.map((tunable) => (
          <tr key={tunable.name}>
            <th scope="row">
              <code>{tunable.name}</code>
            </th>
            <td className="min-w-56 text-pretty">{tunable.about}</td>
            <td className="font-mono text-xs">
              <span className="flex flex-wrap gap-x-3">
                {tunable.values.map((value) => (
                  <span
                    key={value}
                    className={
                      value === tunable.default
                        ? 'underline decoration-accent decoration-2 underline-offset-3'
                        : 'text-muted'
                    }
                  >
                    {value}
                  </span>
                ))}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </TablePanel>
  );
}
