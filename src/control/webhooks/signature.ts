// Signs webhook deliveries as Standard Webhooks specifies (standardwebhooks.com), and in gw's own
// header, as for `--webhook-url`.

import { createHmac } from 'node:crypto';

const prefix = 'whsec_';
const secretBytes = 32;

/** Creates a signing secret: `whsec_` and 32 random bytes in Base64. */
export const newSigningSecret = (randomBytes: (size: number) => Uint8Array): string =>
  prefix + Buffer.from(randomBytes(secretBytes)).toString('base64');

/** Signs the bytes of the body as the receiver gets them. */
export const bodySignature = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

type Signed = Readonly<{
  id: string;
  /** The time of the attempt, in epoch milliseconds. */
  now: number;
  body: string;
  /** The current secret first. Without any, the delivery is not signed. */
  secrets: readonly string[];
}>;

/** The headers that identify the delivery and prove its sender. */
export function deliveryHeaders({ id, now, body, secrets }: Signed): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const identity = { 'webhook-id': id, 'webhook-timestamp': timestamp };
  const [current] = secrets;
  if (current === undefined) return identity;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`);
    return `v1,${mac.digest('base64')}`;
  });
  return {
    ...identity,
    'webhook-signature': signatures.join(' '),
    'x-gw-signature': bodySignature(body, current),
  };
}
