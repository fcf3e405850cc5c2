// Computes decimals exactly where doubles would round: 0.000003 * 1e12 is 2999999.9999999995 in
// doubles.

/** Matches decimal numbers as written by JSON and JavaScript. */
const decimal = /^([+-]?)(\d{0,400})(?:\.(\d{0,400}))?(?:e([+-]?\d{1,4}))?$/i;
const exponentMax = 400;

/**
 * Returns `text` * 10^places, rounded to an integer, halves away from zero. Null if the text is not
 * a decimal number.
 */
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
