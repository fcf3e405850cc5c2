// Claims a place for one event log: the file `_gw.json` names the log, and writing it again shows
// whether the place keeps files that exist. Without that, an archive could be replaced silently.

import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { Target } from './target.ts';

const fileName = '_gw.json';

const claim = z.object({ format: z.literal(1), log_id: z.string(), archive_id: z.uuid() });
type Claim = Readonly<z.output<typeof claim>>;

/** Returns the identity of the archive. Copies of it have the same one. */
export async function claimPlace(target: Target, logId: string): Promise<string> {
  const { place } = target;
  if ((await readClaim(target)) === null) {
    await target.write(fileName, bytesOf({ format: 1, log_id: logId, archive_id: randomUUID() }));
  }
  const held = await readClaim(target);
  if (held === null) throw new Error(`${place} does not show ${fileName} after it was written`);
  if (held.log_id !== logId) {
    throw new Error(
      `${place} belongs to event log ${held.log_id}, not ${logId}: set --usage-archive to a place of its own`,
    );
  }
  if (await target.write(fileName, bytesOf(held))) {
    throw new Error(
      `${place} replaced ${fileName} although it existed, so it ignores If-None-Match: set ` +
        '--usage-archive to a store that supports conditional writes',
    );
  }
  return held.archive_id;
}

/**
 * Null if the place is the one that was claimed. A directory may not be mounted. Throws if the place
 * cannot be read.
 */
export async function wrongPlace(target: Target, archiveId: string): Promise<string | null> {
  const held = await readClaim(target);
  if (held?.archive_id === archiveId) return null;
  const found = held === null ? 'is missing' : `names archive ${held.archive_id}`;
  return (
    `${target.place}/${fileName} ${found}, but archive ${archiveId} is in use: check that the right ` +
    'place is mounted, and start gw again'
  );
}

export async function checkPlace(target: Target, archiveId: string): Promise<void> {
  const problem = await wrongPlace(target, archiveId);
  if (problem !== null) throw new Error(problem);
}

const bytesOf = (made: Claim): Uint8Array =>
  new TextEncoder().encode(`${JSON.stringify(made, null, 2)}\n`);

async function readClaim(target: Target): Promise<Claim | null> {
  const bytes = await target.read(fileName);
  if (bytes === null) return null;
  try {
    return claim.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (cause) {
    throw new Error(`${target.place}/${fileName} is not a file of gw`, { cause });
  }
}
