// What is refused of an entity that is not there.

import { nouns } from '../../events/nouns.ts';
import type { Noun } from '../../events/nouns.ts';
import { refuse } from '../../src/lib/refusal.ts';
import type { Refusal } from '../../src/lib/refusal.ts';

export const absent = (noun: Noun, id: number): Refusal =>
  refuse('absent', `${nouns[noun].words} ${id} does not exist`);
