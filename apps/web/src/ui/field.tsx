import type { ComponentProps, ReactNode } from 'react';

export const controlStyle =
  'h-8 w-full min-w-0 rounded-tile border border-line-strong bg-surface px-2 text-[0.8125rem] aria-invalid:border-rose disabled:cursor-not-allowed disabled:opacity-50';

interface FieldProps {
  id: string;
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/**
 * A label with its hint and error around a control. The error is tied to the control by `describedBy`,
 * so it is read out when focus moves there, which a form does on a refusal.
 */
export function Field({ id, label, hint, error, children }: FieldProps & { children: ReactNode }) {
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-xs font-medium">
        {label}
      </label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      )}
      <FieldError id={id} error={error} />
    </div>
  );
}

export function FieldError({ id, error }: { id: string; error?: string | undefined }) {
  if (!error) return null;
  return (
    <p id={`${id}-error`} className="mt-1 text-xs font-medium text-rose">
      {error}
    </p>
  );
}

/** Attributes that tie a control to the hint and error of its `Field`. */
export const describedBy = (id: string, error: string | undefined, hint = false) => ({
  id,
  'aria-invalid': error ? (true as const) : undefined,
  'aria-describedby':
    [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
});

/** A labelled text input, tied to its hint and error. */
export function InputField({ label, hint, error, ...rest }: FieldProps & ComponentProps<'input'>) {
  return (
    <Field {...{ id: rest.id, label, hint, error }}>
      <Input {...describedBy(rest.id, error, Boolean(hint))} {...rest} />
    </Field>
  );
}

/** A labelled select, tied to its hint and error. */
export function SelectField({
  label,
  hint,
  error,
  ...rest
}: FieldProps & ComponentProps<typeof Select>) {
  return (
    <Field {...{ id: rest.id, label, hint, error }}>
      <Select {...describedBy(rest.id, error, Boolean(hint))} {...rest} />
    </Field>
  );
}

/** A value, or one with its text. */
type Option = string | readonly [value: string, text: string];

/** Its options, or those of `children` where they are grouped. */
function Select({
  className = '',
  options = [],
  children,
  ...rest
}: ComponentProps<'select'> & { options?: readonly Option[] }) {
  return (
    <select className={`${controlStyle} text-ellipsis ${className}`} {...rest}>
      {children}
      {options.map((option) => {
        const [value, text] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={value} value={value}>
            {text}
          </option>
        );
      })}
    </select>
  );
}

function Input({ className = '', ...rest }: ComponentProps<'input'>) {
  return <input className={`${controlStyle} ${className}`} {...rest} />;
}

/** A checkbox shown as a chip: one of several values that may be chosen together. */
export function Chip({ children, ...rest }: ComponentProps<'input'> & { children: ReactNode }) {
  return (
    <label className="inline-flex min-h-7 max-w-full cursor-pointer items-center gap-1.5 rounded-tile border border-line-strong bg-surface px-2 py-0.5 text-xs has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-disabled:border-dashed has-disabled:border-muted has-disabled:bg-transparent has-disabled:text-muted">
      <input
        type="checkbox"
        // The browser's own hardly shows on a dark ground.
        className="size-3.5 shrink-0 accent-accent not-checked:disabled:appearance-none disabled:border disabled:border-muted"
        {...rest}
      />
      {children}
    </label>
  );
}
