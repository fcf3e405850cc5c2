// Defines the fields that describe a change in the lists of changes.

import { z } from 'zod';

export const changeWords = {
  /** For example "Set budget of search-service-18". */
  summary: z.string(),
  /**
   * The first record that the change affects, with its last known name. Null if there is none, or
   * if the name was erased.
   */
  subject: z.object({ stream: z.string(), name: z.string().nullable() }),
};
