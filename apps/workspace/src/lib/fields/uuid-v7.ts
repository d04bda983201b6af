/** Random start of the counter of a millisecond, so that half of its range remains for further ids. */
const COUNTER_START_MAX = 0x800
const COUNTER_MAX = 0xfff
/** A clock that was set back by more than this many milliseconds is followed; ids then sort by the new time. */
const CLOCK_BACK_MAX_MS = 10_000

let last = { atMs: 0, counter: 0 }

/** Generates a UUID version 7. Ids of this page sort in the order of the calls, so records created together keep their order. */
export function uuidV7(): string {
  last = next(last, Date.now())
  return uuidV7At(last.atMs, last.counter)
}

/** RFC 9562, 6.2, method 1: a counter orders the ids of a millisecond, and borrows from the next one when it is used up. */
function next({ atMs, counter }: typeof last, nowMs: number): typeof last {
  const isNewTime = nowMs > atMs || nowMs < atMs - CLOCK_BACK_MAX_MS
  if (isNewTime) return { atMs: nowMs, counter: randomBelow(COUNTER_START_MAX) }
  return counter < COUNTER_MAX ? { atMs, counter: counter + 1 } : { atMs: atMs + 1, counter: 0 }
}

/**
 * @param atMs - milliseconds since the epoch
 * @param counter - orders the ids of a millisecond; 12 bits
 * @see RFC 9562, 5.7
 */
export function uuidV7At(atMs: number, counter: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, Math.floor(atMs / 0x1_0000))
  view.setUint16(4, atMs % 0x1_0000)
  view.setUint16(6, 0x7000 | counter)
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

function randomBelow(limit: number): number {
  return Math.floor(Math.random() * limit)
}

/** Returns a UUIDv7's creation time; `undefined` for other ids. */
export function uuidV7Time(id: string): Date | undefined {
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id) ?? []
  return high === undefined || low === undefined ? undefined : new Date(Number.parseInt(high + low, 16))
}
