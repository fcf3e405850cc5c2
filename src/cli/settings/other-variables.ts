// Lists the variables with the prefix GW_ that are not settings.

/** Variables that other code reads. The check for unknown variables accepts them. */
export const otherVariables: readonly string[] = [
  'GW_ADMIN_TOKEN',
  'GW_ADMIN_TOKEN_FILE',
  'GW_BOOTSTRAP_PASSWORD',
  'GW_PASSWORD',
  'GW_PASSWORD_FILE',
  'GW_TEST_DATABASE_URL',
  'GW_TEST_SETUP',
  'GW_UNPACK_DIR',
  'GW_WORKER_SLOT',
];
