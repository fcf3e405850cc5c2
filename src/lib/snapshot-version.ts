// Computes snapshot versions: the log position of the change, plus an epoch in the high bits. The
// epoch keeps versions increasing after a database was restored from an older copy
// (docs/guides/back-up-and-restore.md).

export const positionsMax = 2 ** 40;

/** 8,000 epochs stay within the exact integers of JSON readers. */
export const epochMax = 8_000;

export const snapshotVersion = ({
  epoch,
  position,
}: Readonly<{ epoch: number; position: number }>): number => epoch * positionsMax + position;

export const epochOfVersion = (version: number): number => Math.floor(version / positionsMax);

export const positionOfVersion = (version: number): number => version % positionsMax;
