// Writes errors of the gateway and of backends in the envelope of the Messages API (wire reference
// 1.7).

/** By status (https://platform.claude.com/docs/en/api/errors). */
function errorType(status: number): string {
  const type = errorTypes.get(status);
  if (type !== undefined) return type;
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

export const errorTypes: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
]);

export const errorText = (status: number, message: string, requestId: string): string =>
  JSON.stringify({
    type: 'error',
    error: { type: errorType(status), message },
    request_id: requestId,
  });
