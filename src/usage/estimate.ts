// Estimates the size of a prompt without a tokenizer, for rules, limits, costs and the count_tokens route (specification,
// "Limits": count estimate).

/** Four bytes per token, rounded up. The caller must exclude the bytes of `data:` URLs, which are not text. */
export const estimateTokens = (textBytes: number): number => Math.ceil(textBytes / 4);
