// A key that was just made and is shown still, on its way to the playground: kept in the page alone, and taken once.

let handed = '';

export const handKey = (key: string): void => {
  handed = key;
};

/** Empty when none was handed. */
export function takeHandedKey(): string {
  const key = handed;
  handed = '';
  return key;
}
