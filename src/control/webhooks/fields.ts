// Defines the schemas of the fields of webhook endpoints, for the admin API and declarative files.

import { z } from 'zod';

import { selectableTypes } from '../../notifications/types.ts';

/** Null selects all types that are not optional. */
export const webhookTypesField = z
  .array(z.enum(selectableTypes))
  .min(1)
  .refine((types) => new Set(types).size === types.length, 'must not contain a type twice')
  .nullable();

export const webhookUrlField = z.string().min(1).max(2_000);

/** PagerDuty's integration keys have 32 characters. */
export const routingKeyField = z
  .string()
  .regex(/^[\w-]{1,200}$/, 'must be letters, digits, - and _');

/** Standard Webhooks: 24 to 64 random bytes. */
export const signingSecretField = z
  .string()
  .regex(
    /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})?$/,
    'must be whsec_ and 24 to 64 bytes in Base64',
  );
