import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UPLOADING_INTERVAL_MS, UPLOADING_QUIET_MS } from '../limits.ts'
import { UploadPace } from './upload-pace.ts'

beforeEach(() => vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => vi.useRealTimers())

const never = new AbortController().signal

/** Returns the ms until a checkpoint is due. */
async function waited(
  pace: UploadPace,
  meanwhile: (ms: number) => void = () => undefined,
  signal = never,
): Promise<number> {
  const began = Date.now()
  let isDue = false
  const due = pace.due(signal).then(() => (isDue = true))
  await vi.advanceTimersByTimeAsync(0)
  while (!isDue) {
    meanwhile(Date.now() - began)
    await vi.advanceTimersByTimeAsync(10)
  }
  await due
  return Date.now() - began
}

test('a device that sends changes gets a checkpoint a second', async () => {
  const pace = new UploadPace()
  pace.uploaded()
  expect(await waited(pace)).toBe(0)
  pace.uploaded()
  expect(await waited(pace)).toBe(UPLOADING_INTERVAL_MS)
})

test('the next one is due at once when all changes are sent, keys change or the stream ends', async () => {
  const end = new AbortController()
  for (const hurry of [(pace: UploadPace) => pace.finished(), (pace: UploadPace) => pace.hurry(), () => end.abort()]) {
    const pace = new UploadPace()
    pace.uploaded()
    await pace.due(never)
    expect(await waited(pace, (ms) => ms === 200 && hurry(pace), end.signal)).toBe(210)
  }
})

test('a device that has stopped sending does not wait', async () => {
  const pace = new UploadPace()
  pace.uploaded()
  await pace.due(never)
  vi.advanceTimersByTime(UPLOADING_QUIET_MS)
  await pace.due(never)
  expect(await waited(pace)).toBe(0)
  pace.finished()
  expect(await waited(pace)).toBe(0)
})
