// The key of a mutation that is made once, however often it is sent.

/** 128 random bits as hex. Browsers make no UUIDs for pages that came without TLS. */
export const onceKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
