// Defines the fields that records of MCP servers and A2A agents share: address and authentication.
// The credential is in the vault.

import { z } from 'zod';

/** `auth_scheme` null sends the credential as it is. */
export const remote = z.object({
  name: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  auth_header: z.string(),
  auth_scheme: z.string().nullable(),
  enabled: z.boolean(),
});
export type Remote = z.output<typeof remote>;
