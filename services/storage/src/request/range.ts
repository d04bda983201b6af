import type { ByteRange } from '../backend/backend.ts'
import { invalidRange } from '../errors.ts'

/**
 * Parses a single range: `bytes=a-b`, `bytes=a-` or `bytes=-n`. Clamps the end to the last byte.
 *
 * @throws {HoldfastError} `InvalidRange`
 */
export function parseRange(header: string, size: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim())
  const [, first = '', last = ''] = match ?? []
  if (!match || size === 0 || (first === '' && last === '')) throw invalidRange(size)
  if (first === '') {
    const length = Number(last)
    if (!Number.isSafeInteger(length) || length === 0) throw invalidRange(size)
    return { from: Math.max(size - length, 0), to: size - 1 }
  }
  const from = Number(first)
  const to = last === '' ? size - 1 : Number(last)
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || to < from || from >= size) throw invalidRange(size)
  return { from, to: Math.min(to, size - 1) }
}
