// Snapshot versions as numbers: the position of the log that made one, and above it the epoch, so that versions go on rising when a
// database restored from an older copy begins to count its positions again (docs/guides/back-up-and-restore.md).

export const positionsMax = 2 ** 40;

/** 8,000 epochs stay within the integers that JSON readers take exactly. */
export const epochMax = 8_000;

export const snapshotVersion = ({
  epoch,
  position,
}: Readonly<{ epoch: number; position: number }>): number => epoch * positionsMax + position;

export const epochOfVersion = (version: number): number => Math.floor(version / positionsMax);

/** Of the event that made the version. */
export const positionOfVersion = (version: number): number => version % positionsMax;
