// Hands a new API key to the playground. It is kept in memory and taken once.

let handed = '';

export const handKey = (key: string): void => {
  handed = key;
};

/** Empty if there is none. */
export function takeHandedKey(): string {
  const key = handed;
  handed = '';
  return key;
}
