// Time as the program sees it: epoch milliseconds inside, RFC 3339 outside. The core gets a number, never a clock.

export type Clock = () => number;

export const toRfc3339 = (epochMs: number): string => new Date(epochMs).toISOString();
