// What the records of an MCP server and of an A2A agent share: where it is and how it is called. The credential lies in the vault.

import { z } from 'zod';

/** `auth_scheme` null sends the credential raw. */
export const remote = z.object({
  name: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  auth_header: z.string(),
  auth_scheme: z.string().nullable(),
  enabled: z.boolean(),
});
export type Remote = z.output<typeof remote>;
