// Types of files that the build turns into modules.

/** The address of the sprite. */
declare module '#icons?url' {
  const address: string;
  export default address;
}

/** The Grafana dashboard as text. */
declare module '#dashboard?raw' {
  const text: string;
  export default text;
}

/** The worker of the viewer as text. */
declare module '#worker?text' {
  const text: string;
  export default text;
}
