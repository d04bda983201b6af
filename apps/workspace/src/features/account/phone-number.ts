/** E.164 allows 15 digits; no country has fewer than 7 including its code. */
const NUMBER = /^[1-9]\d{6,14}$/

/**
 * Returns the digits of a number with its country code, as the server stores it.
 *
 * @param text - as users write it: `+44 (0)7700 900-123`, `0044 7700…`
 * @returns `447700900123`, or `undefined` if it is not a number
 */
export function digitsOf(text: string): string | undefined {
  const digits = text
    .replaceAll('(0)', '')
    .replaceAll(/[\s()./-]/g, '')
    .replace(/^(\+|00)/, '')
  return NUMBER.test(digits) ? digits : undefined
}
