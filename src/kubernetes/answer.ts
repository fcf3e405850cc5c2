// Reads error answers of the Kubernetes API (kubernetes.io/docs/reference/kubernetes-api/common-definitions/status).

import { z } from 'zod';

import type { ClusterAnswer } from './client.ts';

const statusObject = z.object({ message: z.string() });

/** The message names the object, its field and the rule, so it is long. */
const messageMax = 500;

/** The status, with the message if there is one. */
export function refusalOf({ status, body }: ClusterAnswer): string {
  const read = statusObject.safeParse(body);
  return read.success ? `${status}: ${bounded(read.data.message)}` : `${status}`;
}

const bounded = (text: string): string =>
  text.length > messageMax ? `${text.slice(0, messageMax).toWellFormed()}…` : text;
