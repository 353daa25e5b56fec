import { Fragment } from 'react';
import type { FieldErrors } from 'react-hook-form';
import { linkStyle } from '@/ui/button';
import { idOf, labelOf, type SweepForm } from './form';

/** Links to the controls at fault, which say what is wrong with them. */
export function Faults({
  controls,
  cases,
  onGo,
}: {
  controls: readonly string[];
  /** How many the form shows. */
  cases: number;
  onGo: (control: string) => void;
}) {
  return controls.map((control, at) => (
    <Fragment key={control}>
      {at > 0 && ', '}
      <a
        href={`#${idOf(control)}`}
        className={linkStyle}
        onClick={(event) => {
          event.preventDefault();
          onGo(control);
        }}
      >
        {labelOf(control, cases)}
      </a>
    </Fragment>
  ));
}

/** The controls that have an error, in the order of the form's values. */
export function controlsAtFault({ root: _, ...errors }: FieldErrors<SweepForm>): string[] {
  return faultsIn(errors, '');
}

function faultsIn(errors: object, control: string): string[] {
  // An error itself has a text, and an element besides.
  if ('message' in errors && typeof errors.message === 'string') return [control];
  return Object.entries(errors).flatMap(([name, inner]) => {
    if (!inner) return [];
    if (name === 'root') return [control];
    return faultsIn(inner, control === '' ? name : `${control}.${name}`);
  });
}
