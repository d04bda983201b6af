/** E.164 allows 15 digits; no country has numbers of fewer than 7 with its code. */
const NUMBER = /^[1-9]\d{6,14}$/

/**
 * The digits of a number with its country code, as the server keeps it.
 *
 * @param text - as people write it: `+44 (0)7700 900-123`, `0044 7700…`
 * @returns `447700900123`, or `undefined` when it is no number
 */
export function digitsOf(text: string): string | undefined {
  const digits = text
    .replaceAll('(0)', '')
    .replaceAll(/[\s()./-]/g, '')
    .replace(/^(\+|00)/, '')
  return NUMBER.test(digits) ? digits : undefined
}
