// What the build makes of files that are no code.

/** The sprite, by its address. */
declare module '#icons?url' {
  const address: string;
  export default address;
}

/** The dashboard for Grafana, as text. */
declare module '#dashboard?raw' {
  const text: string;
  export default text;
}

/** The worker of the viewer, as text. */
declare module '#worker?text' {
  const text: string;
  export default text;
}
