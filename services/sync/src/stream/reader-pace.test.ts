import { describe, expect, test } from 'vitest'
import { DATA_LINE_BYTES_MAX, DATA_LINE_BYTES_MIN, SLICE_BYTES_MAX, SLICE_BYTES_MIN } from '../limits.ts'
import { ReaderPace } from './reader-pace.ts'

/** Lines to a device that reads so fast behind a kernel that takes so much at once, until so much was sent. */
function send(
  pace: ReaderPace,
  options: { readonly bytesPerS: number; readonly burst: number; readonly total: number },
) {
  let room = options.burst
  for (let sent = 0; sent < options.total;) {
    const bytes = Math.min(pace.lineBytesMax, options.total - sent)
    pace.sent(bytes)
    sent += bytes
    room -= bytes
    if (room > 0) continue
    pace.waited(((options.burst - room) / options.bytesPerS) * 1_000)
    room = options.burst
  }
}

describe('lines', () => {
  test('begin small, and are never larger than all before them', () => {
    const pace = new ReaderPace()
    expect(pace.lineBytesMax).toBe(DATA_LINE_BYTES_MIN)
    for (let total = 0; total < 8 * DATA_LINE_BYTES_MAX;) {
      const bytes = pace.lineBytesMax
      expect(bytes).toBeLessThanOrEqual(Math.max(DATA_LINE_BYTES_MIN, total))
      pace.sent(bytes)
      total += bytes
    }
    expect(pace.lineBytesMax).toBe(DATA_LINE_BYTES_MAX)
  })

  test.each([16 * 1024, 1024 * 1024])(
    'are small for a slow device, whatever the kernel takes at once (%i)',
    (burst) => {
      const pace = new ReaderPace()
      send(pace, { bytesPerS: 4_000, burst, total: 8 * 1024 * 1024 })
      expect(pace.lineBytesMax).toBe(DATA_LINE_BYTES_MIN)
      expect(pace.sliceBytesMax).toBe(SLICE_BYTES_MIN)
    },
  )

  test('are large for a fast device, also when it waited long for something to be sent', () => {
    const pace = new ReaderPace()
    send(pace, { bytesPerS: 10_000_000, burst: 1024 * 1024, total: 32 * 1024 * 1024 })
    expect([pace.lineBytesMax, pace.sliceBytesMax]).toEqual([DATA_LINE_BYTES_MAX, SLICE_BYTES_MAX])
  })

  test('grow again when a slow device has become fast', () => {
    const pace = new ReaderPace()
    send(pace, { bytesPerS: 4_000, burst: 64 * 1024, total: 4 * 1024 * 1024 })
    send(pace, { bytesPerS: 1_000_000, burst: 64 * 1024, total: 4 * 1024 * 1024 })
    expect(pace.lineBytesMax).toBe(DATA_LINE_BYTES_MAX)
  })
})
