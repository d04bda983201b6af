import { invalidRange, putLimitNotAllowed } from '../errors.ts'
import type { AtPath, RowRange } from './api-request.ts'

const RANGE = /^([0-9]+)-([0-9]*)$/

/**
 * Returns the root's row range: the intersection of `limit`/`offset` and the `Range` header, which applies to GET only (RFC 9110,
 * section 14.2).
 *
 * @throws PGRST103 for an empty intersection, PGRST114 for a range on PUT
 */
export function parseRange(method: string, header: string | undefined, ranges: readonly AtPath<RowRange>[]): RowRange {
  const asked = ranges.find(({ path }) => path.length === 0)?.value ?? { offset: 0, limit: undefined }
  const given = RANGE.exec(header ?? '')
  if (method === 'PUT' && (asked.offset > 0 || asked.limit !== undefined)) throw putLimitNotAllowed()
  if (method !== 'GET' || !given || asked.limit === 0) return asked

  const first = Math.min(Number(given[1]), Number.MAX_SAFE_INTEGER)
  const last = given[2] === '' ? undefined : Math.min(Number(given[2]), Number.MAX_SAFE_INTEGER)
  if (last !== undefined && last < first) {
    throw invalidRange('The lower boundary must be lower than or equal to the upper boundary in the Range header.')
  }
  const offset = Math.max(first, asked.offset)
  const ends = [last, asked.limit === undefined ? undefined : asked.offset + asked.limit - 1].filter(
    (end) => end !== undefined,
  )
  if (ends.length === 0) return { offset, limit: undefined }
  const limit = Math.min(...ends) - offset + 1
  if (limit <= 0) throw invalidRange('Limit should be greater than or equal to zero.')
  return { offset, limit }
}
