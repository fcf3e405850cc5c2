// What the build makes of files that are no code.

/** The sprite, by its address. */
declare module '#icons?url' {
  const address: string;
  export default address;
}

declare module '*.json?raw' {
  const text: string;
  export default text;
}
