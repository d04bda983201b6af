import { describe, expect, test } from 'vitest'
import { KEPT_LOG_LINES_MAX, LOGGED_FUNCTIONS_MAX, MEASURED_FUNCTIONS_MAX } from '../limits.ts'
import { Durations } from './durations.ts'
import { LogStore, type KeptLine } from './log-store.ts'
import { Metrics } from './metrics.ts'

describe('durations', () => {
  test('tell percentiles within a fifth', () => {
    const durations = new Durations()
    for (let ms = 1; ms <= 1_000; ms++) durations.add(ms)
    expect(durations.percentile(0.5)).toBeGreaterThan(500 * 0.8)
    expect(durations.percentile(0.5)).toBeLessThan(500 * 1.2)
    expect(durations.percentile(0.95)).toBeGreaterThan(950 * 0.8)
    expect(durations.percentile(0.95)).toBeLessThan(950 * 1.2)
  })

  test('of nothing are unknown, and of no time are the shortest', () => {
    const durations = new Durations()
    expect(durations.percentile(0.5)).toBeUndefined()
    durations.add(0)
    expect(durations.percentile(0.5)).toBe(0.25)
  })
})

describe('metrics', () => {
  test('count calls, errors and starts, with what processes have now', () => {
    const metrics = new Metrics()
    metrics.recordColdStart('hello', 30)
    metrics.recordCall('hello', { status: 200, durationMs: 4 })
    metrics.recordCall('hello', { status: 546, durationMs: 4 })
    metrics.recordCall('hello', { status: 101, durationMs: 90_000 })
    const usage = new Map([['hello', { openRequests: 1, processes: 1, memoryBytes: 50 }]])
    expect(metrics.read(usage)).toMatchObject([
      { function: 'hello', calls: 3, errors: 1, cold_starts: 1, processes: 1, memory_bytes: 50 },
    ])
    expect(metrics.read(usage)[0]?.p95_ms).toBeLessThan(6)
  })

  test('of the last hour leave out older calls', () => {
    let now = 10_000_000
    const metrics = new Metrics(() => now)
    const recent = () => metrics.read(new Map())[0]?.last_hour
    metrics.recordCall('hello', { status: 500, durationMs: 4_000 })
    now += 40 * 60_000
    metrics.recordCall('hello', { status: 200, durationMs: 4 })
    expect(recent()).toMatchObject({ calls: 2, errors: 1 })
    expect(recent()?.p95_ms).toBeGreaterThan(3_000)
    now += 30 * 60_000
    expect(recent()).toMatchObject({ calls: 1, errors: 0 })
    expect(recent()?.p95_ms).toBeLessThan(6)
    now += 60 * 60_000
    expect(recent()).toEqual({ calls: 0, errors: 0, p50_ms: null, p95_ms: null })
    expect(metrics.read(new Map())[0]).toMatchObject({ calls: 2, errors: 1 })
  })

  test('forget the function called longest ago when there are too many', () => {
    const metrics = new Metrics()
    for (let one = 0; one <= MEASURED_FUNCTIONS_MAX; one++)
      metrics.recordCall(`f${one}`, { status: 200, durationMs: 1 })
    const names = metrics.read(new Map()).map((found) => found.function)
    expect(names).toHaveLength(MEASURED_FUNCTIONS_MAX)
    expect(names).not.toContain('f0')
  })
})

describe('the kept lines', () => {
  const lineOf = (name: string, text: string, requestId: string | null = null): KeptLine => ({
    at: '2026-01-01T00:00:00.000Z',
    function: name,
    level: 'info',
    text,
    request_id: requestId,
  })
  const textsOf = (page: { readonly lines: readonly KeptLine[] }): readonly string[] =>
    page.lines.map(({ text }) => text)

  test('are found by function and by request, in order', () => {
    const store = new LogStore()
    store.add(lineOf('one', 'a', '1'))
    store.add(lineOf('two', 'b'))
    store.add(lineOf('one', 'c', '2'))
    expect(textsOf(store.find({ limit: 10 }))).toEqual(['a', 'b', 'c'])
    expect(textsOf(store.find({ function: 'one', limit: 1 }))).toEqual(['c'])
    expect(textsOf(store.find({ requestId: '1', limit: 10 }))).toEqual(['a'])
  })

  test('of a function that prints much cost those of no other', () => {
    const store = new LogStore()
    store.add(lineOf('quiet', 'kept'))
    for (let line = 0; line < 2 * KEPT_LOG_LINES_MAX; line++) store.add(lineOf('loud', String(line)))
    expect(textsOf(store.find({ function: 'quiet', limit: 10 }))).toEqual(['kept'])
    expect(store.find({ limit: 1e6 }).lines).toHaveLength(KEPT_LOG_LINES_MAX + 1)
    for (let line = 0; line < 100; line++) store.add(lineOf('loud', 'x'.repeat(10_000)))
    expect(store.find({ function: 'loud', limit: 1e6 }).lines.length).toBeLessThan(30)
  })

  test('are of a bounded number of functions', () => {
    const store = new LogStore()
    for (let one = 0; one <= LOGGED_FUNCTIONS_MAX; one++) store.add(lineOf(`f${one}`, 'x'))
    expect(store.find({ function: 'f0', limit: 1 }).lines).toEqual([])
  })

  test('are followed from a cursor, which another process begins anew', async () => {
    const store = new LogStore()
    store.add(lineOf('one', 'before'))
    const { cursor } = store.find({ limit: 1 })
    const following = store.follow({ after: cursor, limit: 10 }, 60_000)
    store.add(lineOf('one', 'after'))
    expect(textsOf(await following)).toEqual(['after'])
    expect(textsOf(await store.follow({ after: cursor, function: 'none', limit: 10 }, 1))).toEqual([])
    expect(textsOf(store.find({ after: 'another.900', limit: 10 }))).toEqual(['before', 'after'])
  })
})
