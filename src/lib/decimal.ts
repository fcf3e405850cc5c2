// Exact decimal arithmetic where a double would round: 0.000003 * 1e12 is 2999999.9999999995 in doubles.

/** What a decimal number looks like, in JSON and in JavaScript's own writing of one. */
const decimal = /^([+-]?)(\d{0,400})(?:\.(\d{0,400}))?(?:e([+-]?\d{1,4}))?$/i;
const exponentMax = 400;

/** `text` * 10^places, rounded to the nearest whole number, halves away from zero. Null for what is no decimal number. */
export function scaleDecimal(text: string, places: number): bigint | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimal.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '') return null;
  const shift = places + Number(exponent) - fraction.length;
  if (Math.abs(shift) > 2 * exponentMax) return null;
  const digits = BigInt(whole + fraction);
  const magnitude =
    shift >= 0 ? digits * 10n ** BigInt(shift) : rounded(digits, 10n ** BigInt(-shift));
  return sign === '-' ? -magnitude : magnitude;
}

const rounded = (digits: bigint, divisor: bigint): bigint => (digits + divisor / 2n) / divisor;
