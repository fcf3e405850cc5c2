// Hands a new API key to the playground. It is kept in memory and taken once.

let handed = '';

export const handKey = (key: string): void => {
  handed = key;
};

/** Empty without a key. */
export function takeHandedKey(): string {
  const key = handed;
  handed = '';
  return key;
}
