// A server that exchanges the key files of service accounts for access tokens, as tests tell it to.

import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

import { createEgress } from '../../../src/egress/egress.ts';
import type { Egress } from '../../../src/egress/egress.ts';

const pair = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});

/** Of every key file that is made here. */
export const { publicKey, privateKey } = pair;

/** What the server answers next; a token is numbered behind its prefix. Null: nothing, ever. */
export type TokenAnswer = Readonly<{ status: number; body: unknown }> | null;

export type TokenServer = Readonly<{
  tokenUri: string;
  /** The forms that were sent to it. */
  forms: readonly URLSearchParams[];
  /** A key file of this server; another name makes another file. */
  keyFile: (email?: string) => string;
  answerWith: (answer: (count: number) => TokenAnswer) => void;
  /** Allows this machine by name, as tokens without TLS need it. */
  egress: Egress;
}>;

export const token =
  (expires_in: number) =>
  (count: number): TokenAnswer => ({
    status: 200,
    body: { access_token: `token-${count}`, expires_in, token_type: 'Bearer' },
  });

export const rejection: TokenAnswer = {
  status: 400,
  body: { error: 'invalid_grant', error_description: 'Invalid JWT\nSignature.' },
};

export async function tokenServer(test: Pick<TestContext, 'after'>): Promise<TokenServer> {
  const forms: URLSearchParams[] = [];
  let answer: (count: number) => TokenAnswer = token(3600);
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      forms.push(new URLSearchParams(text));
      const answered = answer(forms.length);
      if (answered !== null) response.writeHead(answered.status).end(JSON.stringify(answered.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const egress = createEgress({ allow: ['127.0.0.0/8'], deny: [] });
  test.after(async () => {
    await egress.dispatcher.destroy();
    server.closeAllConnections();
    server.close();
  });
  const tokenUri = `http://127.0.0.1:${address.port}/token`;
  return {
    tokenUri,
    forms,
    egress,
    keyFile: (client_email = 'a@b.example') =>
      JSON.stringify({ client_email, private_key: privateKey, token_uri: tokenUri }),
    answerWith: (next) => void (answer = next),
  };
}
