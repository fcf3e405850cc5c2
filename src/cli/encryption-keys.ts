// Decodes the encryption keys of the settings.

type Given = Readonly<{
  /** 64 hex digits. */
  encryptionKey: string;
  encryptionKeyPrevious: string | null;
}>;

export const encryptionKeys = ({ encryptionKey, encryptionKeyPrevious: previous }: Given) => ({
  encryptionKey: Buffer.from(encryptionKey, 'hex'),
  previousKey: previous === null ? undefined : Buffer.from(previous, 'hex'),
});
