// Defines where the archive is stored: a directory or a bucket. Files are written once.

export type Target = Readonly<{
  /** Shown to people; it has no credentials. */
  place: string;
  /** Returns false, and changes nothing, if a file of this name exists. */
  write: (name: string, bytes: Uint8Array) => Promise<boolean>;
  /** Only for bytes that repair a file. A bucket with versions keeps the former object. */
  replace: (name: string, bytes: Uint8Array) => Promise<void>;
  /** Null if there is no file of this name. */
  read: (name: string) => Promise<Uint8Array | null>;
}>;

/** A larger file cannot be one that gw wrote. */
export const fileBytesMax = 1024 * 1024 * 1024;
