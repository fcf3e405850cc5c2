// Recognises metadata in the form that sealing almost always writes, by its text alone. Verifying a
// log checks every event, and parsing takes four times as long.

const plain = String.raw`"[^"\\\u0000-\u001f]*"`;
const whole = String.raw`[1-9]\d{0,14}`;
const uuid = String.raw`"[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}"`;
const kinds = 'session|api_key|admin_token|cli|agent|system';

const usual = new RegExp(
  [
    String.raw`^\{"actor":\{"kind":"(?:${kinds})","principal_id":(?:null|${whole})(?:,"token_id":${whole})?\}`,
    `"command":${plain}`,
    `"action":${plain}`,
    `"target":${plain}`,
    `"request_id":${plain}`,
    `"reason_ref":(?:null|${uuid})`,
    `"app_version":${plain}`,
    `"index":(?:0|${whole})`,
    String.raw`"count":${whole}\}$`,
  ].join(','),
);

/**
 * True if `eventMetadata` certainly accepts the text. False does not mean that it rejects the text:
 * escapes and causations are not covered.
 */
export const isUsualMetadata = (text: string): boolean => usual.test(text);
