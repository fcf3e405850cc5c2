// Reads and writes UTC offsets.

/** `+05:30` from minutes east of UTC. */
export function writeOffset(minutes: number): string {
  const size = Math.abs(minutes);
  const parts = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'));
  return `${minutes < 0 ? '-' : '+'}${parts.join(':')}`;
}

/** Minutes; undefined if invalid. Also reads `+1`, `-05:30` and `UTC`. */
export function readOffset(text: string): number | undefined {
  const plain = text.replace(/^\s*(?:UTC|GMT)/i, '').trim();
  if (plain === '') return 0;
  const [, sign = '', hours = '', minutes = '0'] =
    /^([+-])?(\d{1,2})(?::?([0-5]\d))?$/.exec(plain) ?? [];
  if (hours === '' || Number(hours) > 24) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) || 0;
}
