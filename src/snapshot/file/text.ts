// Defines text values of a configuration file: a string, a number, or the name of an environment
// variable.

import { z } from 'zod';

import { descriptionText } from '../../lib/fields.ts';
import { reference } from './source.ts';

/**
 * Shell syntax for variables. No reader of this format expands it, so it would be used literally as
 * the secret.
 */
const shellVariable = /^\$(?:\{(\w+)[^}]*\}|([A-Za-z_]\w*))$/;

/**
 * An unresolved reference names a variable that is not set. It is only an error if the value is
 * read.
 */
export const text = z
  .union([z.string(), z.number().transform(String)])
  .refine((value) => !value.startsWith(reference), {
    error: ({ input }) =>
      `environment variable ${String(input).slice(reference.length)} is not set`,
    abort: true,
  })
  .refine((value) => !shellVariable.test(value), {
    error: ({ input }) =>
      `is a shell variable, which is not expanded here; write ${reference}${variableIn(String(input))}`,
  });

function variableIn(shell: string): string {
  const [, braced, bare] = shellVariable.exec(shell) ?? [];
  return braced ?? bare ?? 'NAME';
}

/** Lines are joined. Empty text counts as absent. */
export const description = text
  .transform((given) => given.replaceAll(/\s+/g, ' ').trim())
  .transform((given) => (given === '' ? null : given))
  .pipe(descriptionText.nullable())
  .nullish();
