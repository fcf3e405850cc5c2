// The sprite that the build makes, by its address.

declare module '#icons?url' {
  const address: string;
  export default address;
}
