// What the API server says of a call that it did not do (kubernetes.io/docs/reference/kubernetes-api/common-definitions/status).

import { z } from 'zod';

import type { ClusterAnswer } from './client.ts';

const statusObject = z.object({ message: z.string() });

/** It names the object, its field and the rule, which takes more than a line. */
const messageMax = 500;

/** The status, and in words what was wrong where it says so. */
export function refusalOf({ status, body }: ClusterAnswer): string {
  const read = statusObject.safeParse(body);
  return read.success ? `${status}: ${bounded(read.data.message)}` : `${status}`;
}

const bounded = (text: string): string =>
  text.length > messageMax ? `${text.slice(0, messageMax).toWellFormed()}…` : text;
