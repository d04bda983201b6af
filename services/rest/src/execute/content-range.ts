/**
 * `0-24/3573`: the rows of an answer and how many there are. `*` stands for no rows, and for a total that was not counted.
 *
 * @see RFC 9110, section 14.4, with `items` left out as PostgREST does
 */
export function renderContentRange(lower: number, upper: number, total: number | undefined): string {
  const rows = total !== 0 && lower <= upper ? `${lower}-${upper}` : '*'
  return `${rows}/${total ?? '*'}`
}

/** 416 when the first row lies behind the last, 206 when there are more rows than these, else 200. */
export function rangeStatus(lower: number, rows: number, total: number | undefined): 200 | 206 | 416 {
  if (total === undefined) return 200
  if (lower > total) return 416
  return rows < total ? 206 : 200
}
