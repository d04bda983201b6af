// Invariants: unsent bytes are always referenced by their entry; only the server's response marks a file as sent; every state has a way forward.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { photo } from './file-entry.test-support.ts'
import { fileRetryDelayMs, isEvictable, isUnsent, nextFile, type FileEntry, type FileEvent } from './file-state.ts'

const context = { nowMs: 1_000, random: 0.5 }
const problem = { code: 'network', message: 'gone', status: undefined }
const failed = (kind: 'send_failed' | 'fetch_failed', failure: 'retry' | 'doubt' | 'final'): FileEvent => ({
  kind,
  failure,
  problem,
  retryAfterMs: undefined,
})

function after(file: FileEntry, ...events: readonly FileEvent[]): FileEntry {
  return events.reduce((before, event) => nextFile(before, event, context) ?? before, file)
}

const UP: readonly FileEvent[] = [
  { kind: 'prepare_started' },
  { kind: 'prepared', bytesName: 'bytes-2', size: 8, mediaType: 'image/webp' },
  { kind: 'send_started' },
  { kind: 'sent' },
  { kind: 'link_written', position: 7 },
  { kind: 'link_accepted' },
]

describe('a file that was added here', () => {
  test('goes up step by step', () => {
    const states = UP.map((_, step) => after(photo(), ...UP.slice(0, step + 1)).state)
    expect(states).toEqual(['preparing', 'queued', 'uploading', 'uploaded', 'uploaded', 'linked'])
  })

  test('goes on with the part after the last one that the server has', () => {
    const cut = after(
      photo({ state: 'uploading' }),
      { kind: 'upload_created', url: 'https://x/1' },
      { kind: 'part_sent', sentBytes: 6 },
      failed('send_failed', 'retry'),
    )
    expect(cut).toMatchObject({ state: 'queued', uploadUrl: 'https://x/1', sentBytes: 6, attempts: 1 })
    expect(cut.notBeforeMs).toBe(context.nowMs + 5_000)
  })

  test('is refused at once when the server will say no again, and after five times when it may not', () => {
    expect(after(photo({ state: 'uploading' }), failed('send_failed', 'final')).state).toBe('refused')
    let file = photo({ state: 'queued' })
    const states = [1, 2, 3, 4, 5].map(() => {
      file = after(file, { kind: 'send_started' }, failed('send_failed', 'doubt'))
      return file.state
    })
    expect(states).toEqual(['queued', 'queued', 'queued', 'queued', 'refused'])
  })

  test('is never refused because of the network', () => {
    let file = photo({ state: 'queued' })
    for (let attempt = 0; attempt < 100; attempt++) {
      file = after(file, { kind: 'send_started' }, failed('send_failed', 'retry'))
    }
    expect(file).toMatchObject({ state: 'queued', attempts: 100 })
  })

  test('keeps its bytes when its row is gone, and goes on when the row is back', () => {
    const gone = after(photo({ state: 'queued' }), { kind: 'row_gone' })
    expect(gone).toMatchObject({ state: 'refused', bytesName: 'bytes-1', problem: { code: 'row_gone' } })
    expect(after(gone, { kind: 'retried' })).toMatchObject({ state: 'queued', problem: undefined })
  })

  test('says so when the browser has deleted its bytes, and does not pretend to send them', () => {
    const lost = after(photo({ state: 'uploading' }), { kind: 'bytes_missing' })
    expect(lost).toMatchObject({ state: 'refused', bytesName: undefined, problem: { code: 'bytes_missing' } })
    expect(nextFile(lost, { kind: 'retried' }, context)).toBeUndefined()
  })
})

describe('a file of another device', () => {
  const remote = photo({ state: 'remote', bytesName: undefined })

  test('comes down when it is opened, and again after it was evicted', () => {
    const down: readonly FileEvent[] = [
      { kind: 'wanted', by: 'person' },
      { kind: 'fetch_started' },
      { kind: 'fetched', bytesName: 'bytes-3', size: 9 },
    ]
    const cached = after(remote, ...down)
    expect(cached).toMatchObject({ state: 'cached', bytesName: 'bytes-3', usedAtMs: 1_000 })
    const evicted = after(cached, { kind: 'evicted' })
    expect(evicted).toMatchObject({ state: 'evicted', bytesName: undefined })
    expect(after(evicted, ...down).state).toBe('cached')
  })

  test('does not come back by itself after it was evicted', () => {
    expect(nextFile(photo({ state: 'evicted' }), { kind: 'wanted', by: 'rows' }, context)).toBeUndefined()
  })

  test('is elsewhere until its row says that it was uploaded', () => {
    const elsewhere = photo({ state: 'elsewhere', bytesName: undefined })
    expect(nextFile(elsewhere, { kind: 'wanted', by: 'person' }, context)).toBeUndefined()
    expect(after(elsewhere, { kind: 'announced' }).state).toBe('remote')
  })
})

test.each([
  [1, 5_000],
  [2, 10_000],
  [7, 320_000],
  [8, 600_000],
  [1_000, 600_000],
])('the delay after failure %i is %i ms, give or take a fifth', (attempt, ms) => {
  expect(fileRetryDelayMs(attempt, undefined, 0.5)).toBe(ms)
  expect(fileRetryDelayMs(attempt, undefined, 0)).toBeCloseTo(ms * 0.8)
  expect(fileRetryDelayMs(attempt, ms * 3, 0.5)).toBe(ms * 3)
  expect(fileRetryDelayMs(attempt, 30 * 86_400_000, 0.5)).toBe(3_600_000)
})

const url = fc.constantFrom('https://x/1', 'https://x/2')
const anyEvent: fc.Arbitrary<FileEvent> = fc.oneof(
  fc
    .constantFrom(
      ...([
        'restarted',
        'interrupted',
        'prepare_started',
        'send_started',
        'sent',
        'link_accepted',
        'row_gone',
      ] as const),
      ...(['announced', 'fetch_started', 'used', 'evicted', 'retried', 'woken'] as const),
    )
    .map((kind): FileEvent => ({ kind })),
  fc.constantFrom(...(['retry', 'doubt', 'final'] as const)).map((failure) => failed('send_failed', failure)),
  fc.constantFrom(...(['retry', 'doubt', 'final'] as const)).map((failure) => failed('fetch_failed', failure)),
  fc.constantFrom(...(['person', 'rows'] as const)).map((by): FileEvent => ({ kind: 'wanted', by })),
  fc.boolean().map((isPaused): FileEvent => ({ kind: 'paused', isPaused })),
  url.map((each): FileEvent => ({ kind: 'upload_created', url: each })),
  fc.nat(10).map((sentBytes): FileEvent => ({ kind: 'part_sent', sentBytes })),
  fc.constant<FileEvent>({ kind: 'prepared', bytesName: 'bytes-2', size: 8, mediaType: 'image/webp' }),
  fc.constant<FileEvent>({ kind: 'fetched', bytesName: 'bytes-3', size: 9 }),
  fc.nat(9).map((position): FileEvent => ({ kind: 'link_written', position })),
)
const history = fc.array(anyEvent, { maxLength: 40 })

test('whatever happens, bytes that were not sent stay named, and only the server makes a file count as sent', () => {
  fc.assert(
    fc.property(history, (events) => {
      let file = photo()
      let isSent = false
      for (const event of events) {
        const before = file
        file = nextFile(file, event, context) ?? file
        if (event.kind === 'sent' && before.state === 'uploading') isSent = true
        expect(isUnsent(file)).toBe(!isSent)
        if (!isSent) expect(file.bytesName).toBeDefined()
        if (!isSent) expect(isEvictable(file)).toBe(false)
      }
    }),
  )
})

test('whatever has happened, a person who tries again gets the file to the server', () => {
  fc.assert(
    fc.property(history, (events) => {
      const file = after(photo(), ...events, { kind: 'restarted' }, { kind: 'retried' }, ...UP)
      expect(isUnsent(file)).toBe(false)
      expect(file.problem === undefined || file.state === 'queued_download' || file.state === 'unavailable').toBe(true)
    }),
  )
})

test('after a restart nothing counts as being under way', () => {
  fc.assert(
    fc.property(history, (events) => {
      const file = after(photo(), ...events, { kind: 'restarted' })
      expect(['preparing', 'uploading', 'downloading']).not.toContain(file.state)
    }),
  )
})
