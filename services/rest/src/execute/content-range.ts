/**
 * Renders `0-24/3573`: the returned rows and the total. `*` stands for no rows and for an uncounted total.
 *
 * @see RFC 9110, section 14.4; PostgREST omits the unit `items`
 */
export function renderContentRange(lower: number, upper: number, total: number | undefined): string {
  const rows = total !== 0 && lower <= upper ? `${lower}-${upper}` : '*'
  return `${rows}/${total ?? '*'}`
}

/** Returns 416 if the first row is beyond the last, 206 if there are further rows, otherwise 200. */
export function rangeStatus(lower: number, rows: number, total: number | undefined): 200 | 206 | 416 {
  if (total === undefined) return 200
  if (lower > total) return 416
  return rows < total ? 206 : 200
}
