// Says of a part of a configuration file what its schema refuses, with the place in the file.

import type { z } from 'zod';

import type { Issue, Path, Source } from './source.ts';

/** `at` is the path of the part that was parsed. */
export const zodIssues = (
  error: z.ZodError,
  source: Pick<Source, 'issue'>,
  at: Path = [],
): readonly Issue[] =>
  error.issues.map((issue) => {
    // A union says why each of its forms does not fit; the first is the one that is meant.
    const inner = issue.code === 'invalid_union' ? issue.errors[0]?.[0] : undefined;
    const path = [...at, ...issue.path, ...(inner?.path ?? [])];
    return source.issue(path, inner?.message ?? issue.message);
  });
