// Gives the chain check Ed25519 and a check that each event can be parsed.

import type { Means } from '../../../events/chain.ts';
import { isSigned } from '../../../events/checkpoint.ts';
import type { Envelope, HashedText } from '../../../events/hashed-text.ts';
import { isUsualMetadata } from '../../../events/usual-metadata.ts';
import { readContents, readMetadata } from '../../db/log/event-log.ts';

function unreadable(envelope: Envelope, { payload, metadata }: HashedText): string | null {
  if (payload === null) return null;
  try {
    readContents(envelope, payload);
    if (!isUsualMetadata(metadata)) readMetadata(metadata);
    return null;
  } catch (error) {
    return `the event cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

export const means: Means = { isSigned, unreadable };
