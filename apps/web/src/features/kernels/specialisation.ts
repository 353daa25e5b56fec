import type { KernelDetail } from '@tilemark/core';
import { InputError } from '@tilemark/kernels';
import { kernelDetail } from '@/server/registry';

export interface Specialisation {
  readonly detail: KernelDetail;
  /** One sentence for each part of the query string that was put aside. */
  readonly refused: readonly string[];
}

/**
 * The kernel as a query string asks for it. Parameters that name nothing of the
 * kernel, or a value it does not take, are put aside one after the other, each
 * with its reason, so that any address gives a page.
 */
export function specialisation(
  id: string,
  query: Readonly<Record<string, string | string[] | undefined>>,
): Specialisation {
  const asked: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) asked[name] = first;
  }
  const refused: string[] = [];
  for (;;) {
    try {
      return { detail: kernelDetail(id, asked), refused };
    } catch (error) {
      if (!(error instanceof InputError) || Object.keys(asked).length === 0) throw error;
      refused.push(`${error.message}.`);
      const name = error.field.replace(/^tunables\.?/, '');
      // A broken constraint is about several values together: all of them are put aside.
      if (name in asked) delete asked[name];
      else for (const each of Object.keys(asked)) delete asked[each];
    }
  }
}
