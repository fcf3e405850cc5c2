// Creates the idempotency key of a mutation.

/** 128 random bits as hex. Browsers offer no UUIDs without TLS. */
export const onceKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
