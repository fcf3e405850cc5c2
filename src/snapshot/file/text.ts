// How a text is written in a configuration file: as a string or a number, or as the name of a variable.

import { z } from 'zod';

import { descriptionText } from '../../lib/fields.ts';
import { reference } from './source.ts';

/** What a shell would fill in; no reader of this format does, and a secret would be these very characters. */
const shellVariable = /^\$(?:\{(\w+)[^}]*\}|([A-Za-z_]\w*))$/;

/** A reference that is left names a variable that is not set: it matters only where it is read. */
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

/** In a file it may run over several lines, which are one; an empty one is none. */
export const description = text
  .transform((given) => given.replaceAll(/\s+/g, ' ').trim())
  .transform((given) => (given === '' ? null : given))
  .pipe(descriptionText.nullable())
  .nullish();
