// The size of a prompt before any tokenizer has seen it: one estimate for rules, limits, costs and
// the count_tokens route (specification, "Limits": count estimate).

/** Four bytes a token, rounded up. The bytes of `data:` URLs are not text: the caller leaves them out. */
export const estimateTokens = (textBytes: number): number => Math.ceil(textBytes / 4);
