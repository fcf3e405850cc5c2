// What the lists of changes say of each in words.

import { z } from 'zod';

export const changeWords = {
  /** One sentence, such as "Set budget of search-service-18". */
  summary: z.string(),
  /** The record that the change began with, and its last known name; null where it has none, or it was erased. */
  subject: z.object({ stream: z.string(), name: z.string().nullable() }),
};
