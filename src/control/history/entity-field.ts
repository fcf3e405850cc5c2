// Parses the name of an entity as its stream: its kind and its id.

import { z } from 'zod';

import { configNouns } from '../../../events/nouns.ts';

const nouns = configNouns.join('|');

/** `provider-7`. */
export const entityField = z
  .string()
  .max(40)
  .regex(
    new RegExp(`^(?:${nouns})-[1-9]\\d{0,14}$`),
    'must be a kind and an id, for example provider-7',
  );
