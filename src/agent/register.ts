// Registers one endpoint with the control plane or renews its lease (specification, `POST /admin/providers/register`).

import { Agent, request } from 'undici';
import { z } from 'zod';

import { shortened } from '../lib/text.ts';

export type Registration = Readonly<{
  api_base: string;
  node: string;
  name: string;
  /** Omitted if unknown, so that the control plane keeps its value. */
  engine?: string;
  ttl_seconds: number;
}>;

export type Outcome =
  | Readonly<{ kind: 'registered'; id: number; name: string; leased: boolean }>
  /** The control plane refused this endpoint. A retry at once would not help. */
  | Readonly<{ kind: 'refused'; status: number; why: string }>
  /** The control plane did not answer. */
  | Readonly<{ kind: 'away'; why: string; retryAfterMs: number | null }>;

/** Never rejects. */
export type Register = (registration: Registration, signal: AbortSignal) => Promise<Outcome>;

export type RegistrarOptions = Readonly<{
  controlUrl: string;
  token: string;
  /** PEM of the only trusted authorities; null means those of the runtime. */
  ca: string | null;
}>;

const connectMs = 3_000;
/** The control plane gives the endpoint 10 seconds to list its models. */
const answerMs = 20_000;
const answerBytesMax = 64 * 1024;

export function openRegistrar({ controlUrl, token, ca }: RegistrarOptions) {
  const dispatcher = new Agent({
    connect: { timeout: connectMs, ...(ca === null ? {} : { ca }) },
    maxResponseSize: answerBytesMax,
  });
  const register: Register = async (registration, signal) => {
    try {
      const answer = await request(`${controlUrl}/admin/providers/register`, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(registration),
        headersTimeout: answerMs,
        bodyTimeout: answerMs,
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      });
      const { statusCode: status, headers } = answer;
      return outcomeOf(await answer.body.text(), { status, retryAfter: headers['retry-after'] });
    } catch (error) {
      return { kind: 'away', why: reasonOf(error), retryAfterMs: null };
    }
  };
  return { register, close: () => dispatcher.destroy() };
}

const registered = z.object({ id: z.int(), name: z.string(), leased: z.boolean() });
const refusal = z.object({ error: z.object({ message: z.string() }) });

type Head = Readonly<{ status: number; retryAfter: string | string[] | undefined }>;

function outcomeOf(text: string, { status, retryAfter }: Head): Outcome {
  const body = parseJson(text);
  const answer = refusal.safeParse(body);
  const why = answer.success ? shortened(answer.data.error.message) : `status ${status}`;
  if (isLater(status, answer.success))
    return { kind: 'away', why, retryAfterMs: waitOf(retryAfter) };
  const read = registered.safeParse(body);
  if (status === 200 && read.success) return { kind: 'registered', ...read.data };
  if (status >= 400) return { kind: 'refused', status, why };
  return { kind: 'refused', status, why: 'the address is not that of a control plane' };
}

/**
 * A 502 with an error of the control plane means that it could not read the models of the endpoint. Any other 502 comes from a load
 * balancer without a control plane.
 */
const isLater = (status: number, isOwn: boolean): boolean =>
  status === 429 || (status >= 500 && !(status === 502 && isOwn));

function waitOf(retryAfter: Head['retryAfter']): number | null {
  return typeof retryAfter === 'string' && /^\d{1,6}$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no connection';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return error.message === '' ? code : `${shortened(error.message)} (${code})`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
