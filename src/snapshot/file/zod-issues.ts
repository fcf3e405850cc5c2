// Reports schema problems of a part of a configuration file, with their path in the file.

import type { z } from 'zod';

import { problemOf } from '../../lib/plain-issue.ts';
import type { Issue, Path, Source } from './source.ts';

/** `at` is the path of the parsed part. `error` must come from a parse with `plainly`. */
export const zodIssues = (
  error: z.ZodError,
  source: Pick<Source, 'issue'>,
  at: Path = [],
): readonly Issue[] =>
  error.issues.map((issue) => {
    // A union reports the problems of each form. The first form is the intended one.
    const inner = issue.code === 'invalid_union' ? issue.errors[0]?.[0] : undefined;
    const path = [...at, ...issue.path, ...(inner?.path ?? [])];
    return source.issue(path, problemOf(inner ?? issue));
  });
