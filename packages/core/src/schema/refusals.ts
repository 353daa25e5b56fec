import { dtypeMeant } from '@tilemark/kernels';
import { z } from 'zod';

const TYPES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'text',
};

const SIZES: Readonly<Record<string, string>> = {
  array: ' entries',
  string: ' characters',
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'a date and time such as 2026-11-23T10:00:00Z',
  url: 'an address such as http://localhost:3000',
  uuid: 'an id',
};

/**
 * How schemas refuse a value, as the end of a sentence that begins with the field's name. A
 * message that a schema gives itself comes before these; undefined leaves zod's own.
 */
z.config({
  customError: (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined) return 'is required';
        return `must be ${TYPES[issue.expected] ?? issue.expected}`;
      case 'invalid_value':
        return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}${meantBy(issue.input, issue.values)}`;
      case 'too_small': {
        const size = SIZES[issue.origin];
        if (size && Number(issue.minimum) === 1) return 'must not be empty';
        const least = `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
        return size ? `must have ${least}${size}` : `must be ${least}`;
      }
      case 'too_big': {
        const size = SIZES[issue.origin];
        const most = `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
        return size ? `must have ${most}${size}` : `must be ${most}`;
      }
      case 'invalid_format': {
        const format = FORMATS[issue.format];
        return format && `must be ${format}`;
      }
      default:
        return undefined;
    }
  },
});

function meantBy(input: unknown, values: readonly unknown[]): string {
  if (typeof input !== 'string') return '';
  const meant = dtypeMeant(input) ?? input.toLowerCase();
  return values.includes(meant) ? `; did you mean ${meant}?` : '';
}

/** A refusal with the field that it is about; what a schema says itself stands alone. */
export const refusalOf = (field: string, message: string): string =>
  /^(is|must) /.test(message) ? `${field} ${message}` : message;
