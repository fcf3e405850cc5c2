// Exchanges the key files of service accounts for access tokens, as tests tell it to.

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

/** The key of every key file created here. */
export const { publicKey, privateKey } = pair;

/** The next response; a number is appended to the token. Null means that it never responds. */
export type TokenAnswer = Readonly<{ status: number; body: unknown }> | null;

export type TokenServer = Readonly<{
  tokenUri: string;
  /** The forms that it received. */
  forms: readonly URLSearchParams[];
  /** Creates a key file for this server; another e-mail address gives another file. */
  keyFile: (email?: string) => string;
  answerWith: (answer: (count: number) => TokenAnswer) => void;
  /** Allows this host by name, which tokens over plain HTTP require. */
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
