// What a restore would come to, in words.

const lossWords = {
  erased: 'the vault has erased it',
  revoked: 'the key was revoked since, and stays so',
  replaced: 'it was set anew since, and the old one lets nobody in again',
  observed: 'it was seen of the provider, not configured',
  kept: 'it belongs to the log, which goes on',
} as const;

export const lossText = (reason: keyof typeof lossWords): string => lossWords[reason];

/** The entities that the address names, as the server takes them; null is all of them. */
export function readEntities(text: string | undefined): readonly string[] | null {
  const names = (text ?? '').split(',').filter((name) => /^[a-z_\d]+-\d+$/.test(name));
  return names.length === 0 ? null : [...new Set(names)];
}

type Refused = Readonly<{ needs: string | null }>;

/** What has to come along, so that nothing stands in the way any more; empty when that would not help. */
export const neededBy = (conflicts: readonly Refused[]): readonly string[] =>
  conflicts.every(({ needs }) => needs !== null)
    ? [...new Set(conflicts.map(({ needs }) => needs ?? ''))]
    : [];
