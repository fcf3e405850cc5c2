// What the headers of usage answers say.

/** Milliseconds of a bucket of a series: as wide as was asked for, or wider. */
export const widthOf = (headers: Headers, askedSeconds: number): number =>
  1_000 * Number(headers.get('x-gw-bucket-seconds') ?? askedSeconds);

/** The groups that there are, of which an answer holds the first ones. */
export const groupsOf = (headers: Headers, answered: number): number =>
  Number(headers.get('x-total-count') ?? answered);
