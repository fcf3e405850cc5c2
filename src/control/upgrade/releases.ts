// Lists the releases of gw, with what decides whether they work with a database and with each other.

export type Release = Readonly<{
  version: string;
  /** The number of its last migration. A release does not start on a database that has a later one. */
  migration: number;
  /** `snapshotSchemaVersion` of its proxies. */
  snapshotSchema: number;
}>;

/** Oldest first, one for each version of CHANGELOG.md. */
export const releases: readonly Release[] = [
  { version: '0.1.0', migration: 21, snapshotSchema: 1 },
];
