import { assert } from '@holdfast/foundation'

/** WAL position: 64 bits, in bytes since the cluster was created. */
export type Lsn = bigint & { readonly brand: 'Lsn' }

const LSN_TEXT = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i

/**
 * Parses Postgres's text form.
 *
 * @param text - two hexadecimal halves, `16/B374D848`
 * @returns `undefined` for invalid text
 * @see PostgreSQL manual, "pg_lsn Type"
 */
export function parseLsn(text: string): Lsn | undefined {
  const halves = LSN_TEXT.exec(text)
  if (!halves) return undefined
  const [, high, low] = halves
  assert(high !== undefined && low !== undefined, 'the pattern has two groups')
  return ((BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)) as Lsn
}

/** Formats a position as Postgres does: uppercase without leading zeros. */
export function formatLsn(lsn: Lsn): string {
  return `${(lsn >> 32n).toString(16)}/${(lsn & 0xffffffffn).toString(16)}`.toUpperCase()
}
