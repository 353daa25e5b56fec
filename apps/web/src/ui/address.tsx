import { Fragment } from 'react';

/**
 * A variant's canonical address, `matmul/tiled[TILE=16,...]`: the kernel stands
 * out, the names of tunables stand back, and lines break between tunables only.
 */
export function Address({ of, isLink = false }: { of: string; isLink?: boolean }) {
  const [, kernel = of, list = ''] = /^([^[]*)\[(.*)\]$/.exec(of) ?? [];
  const tunables = list === '' ? [] : list.split(',');
  return (
    <span className="font-mono text-[0.78125rem]">
      <span
        className={`font-medium whitespace-nowrap ${isLink ? 'underline decoration-line-strong underline-offset-3 group-hover:decoration-accent' : ''}`}
      >
        {kernel}
      </span>
      {tunables.length > 0 && (
        <span className="text-[0.71875rem] text-muted">
          [
          {tunables.map((tunable, index) => {
            const [name, value] = tunable.split('=');
            return (
              <Fragment key={name}>
                {index > 0 && (
                  <>
                    ,<wbr />
                  </>
                )}
                <span className="whitespace-nowrap">
                  {name}=<span className="text-ink">{value}</span>
                </span>
              </Fragment>
            );
          })}
          ]
        </span>
      )}
    </span>
  );
}
