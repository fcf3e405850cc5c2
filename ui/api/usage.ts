// Reads the headers of usage responses.

/** The width of a bucket in milliseconds, at least as requested. */
export const widthOf = (headers: Headers, askedSeconds: number): number =>
  1_000 * Number(headers.get('x-gw-bucket-seconds') ?? askedSeconds);

/** The total number of groups; the response contains the first ones. */
export const groupsOf = (headers: Headers, answered: number): number =>
  Number(headers.get('x-total-count') ?? answered);
