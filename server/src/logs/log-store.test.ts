import { mkdtempSync, readdirSync, rmSync, statSync, appendFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { LOG_AGE_MAX_MS, QUEUED_LINES_MAX, SEGMENT_AGE_MAX_MS } from './limits.ts'
import { LogStore } from './log-store.ts'
import type { AnsweredRequest } from './render-entry.ts'
import { searchSegments } from './search-segments.ts'
import { deleteOldSegments, listSegments, nameSegment, pathOfSegment } from './segments.ts'

let home: string
let folder: string
let nowMs: number
let store: LogStore

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'holdfast-logs-'))
  folder = join(home, 'logs')
  nowMs = Date.parse('2026-11-30T10:00:00Z')
  store = openStore()
})
afterEach(async () => {
  await store[Symbol.asyncDispose]()
  rmSync(home, { recursive: true, force: true })
})

function openStore(): LogStore {
  const opened = new LogStore({ folder, logger: silentLogger, clock: { now: () => nowMs } })
  opened.begin()
  return opened
}

function request(change: Partial<AnsweredRequest> = {}): AnsweredRequest {
  return {
    id: 'r1',
    service: 'rest',
    method: 'GET',
    url: '/rest/v1/orders?apikey=abc',
    route: '/rest/v1/:table',
    status: 200,
    ms: 1,
    userId: undefined,
    address: '10.0.0.7',
    ...change,
  }
}

const all = { matches: () => true, limit: 100 }

test('entries are found newest first, page by page, and new ones after a position', async () => {
  const logger = store.loggerFor('sync')
  for (let n = 1; n <= 5; n += 1) logger.log('info', `line ${n}`)
  const first = await store.search({ ...all, limit: 2 })
  expect(first.entries.map(({ message }) => message)).toEqual(['line 5', 'line 4'])
  const second = await store.search({ ...all, limit: 4, before: first.next })
  expect(second.entries.map(({ message }) => message)).toEqual(['line 3', 'line 2', 'line 1'])
  expect(second.next).toBeUndefined()
  logger.log('warn', 'line 6')
  const later = await store.search({ ...all, after: first.newest })
  expect(later.entries.map(({ message }) => message)).toEqual(['line 6'])
  expect((await store.search({ ...all, after: later.newest })).entries).toEqual([])
})

test('everything of a request is found by its id, also after a restart, and no query is kept', async () => {
  store.addRequest(request({ id: 'r2', status: 403, userId: 'u1', refusal: { code: '42501', message: 'denied' } }), 'n')
  store.loggerFor('server').log('error', 'a request failed', { requestId: 'r2', token: 'abc' })
  store.addRequest(request({ id: 'r3' }), 'n')
  await store[Symbol.asyncDispose]()
  store = openStore()
  const { entries } = await store.search({ ...all, needle: 'r2', matches: ({ requestId }) => requestId === 'r2' })
  expect(entries).toMatchObject([
    { service: 'server', level: 'error', fields: { token: '[hidden]' } },
    { service: 'rest', level: 'warn', message: 'denied', request: { path: '/rest/v1/orders', code: '42501' } },
  ])
  expect(JSON.stringify(entries)).not.toContain('abc')
})

test('pages, health checks and debug lines are not kept; debug lines of functions are', async () => {
  store.addRequest(request({ service: 'app', url: '/assets/a.js' }), 'n')
  store.addRequest(request({ service: 'console', url: '/console/v1/logs' }), 'n')
  store.loggerFor('rest').log('debug', 'a detail')
  store.loggerFor('functions').log('debug', 'hello: output', { function: 'hello', requestId: 'r9' })
  expect((await store.search(all)).entries).toMatchObject([
    { service: 'functions', function: 'hello', requestId: 'r9', message: 'output' },
  ])
})

test('of Postgres, messages are kept, but not lines that quote rows or statements', async () => {
  const log = store.loggerFor('postgres')
  log.log('debug', 'LOG:  checkpoint starting: time', { source: 'postgres' })
  log.log('warn', 'FATAL:  sorry, too many clients already', { source: 'postgres' })
  log.log('debug', "STATEMENT:  select 'secret'", { source: 'postgres' })
  expect((await store.search(all)).entries.map(({ level, message }) => [level, message])).toEqual([
    ['error', 'FATAL:  sorry, too many clients already'],
    ['info', 'LOG:  checkpoint starting: time'],
  ])
})

test('one user fills at most a quarter of a segment; others stay, and the log says what it lacks', async () => {
  const message = 'x'.repeat(1_900)
  for (let n = 0; n < 600; n += 1)
    store.addRequest(request({ userId: 'noisy', status: 400, refusal: { message } }), 'n')
  store.addRequest(request({ userId: 'quiet' }), 'n')
  await store.flush()
  expect(store.dropped).toBeGreaterThan(60)
  const kept = await store.search({ ...all, matches: ({ userId }) => userId === 'quiet' })
  expect(kept.entries.length).toBe(1)
  nowMs += SEGMENT_AGE_MAX_MS
  store.loggerFor('server').log('info', 'an hour later')
  const [, note] = (await store.search(all)).entries
  expect(note?.fields).toEqual({ lines: { noisy: store.dropped }, sources: 1 })
})

test('lines that wait for the disk are bounded', () => {
  const waiting = new LogStore({ folder, logger: silentLogger, clock: { now: () => nowMs } })
  const logger = waiting.loggerFor('server')
  for (let n = 0; n < QUEUED_LINES_MAX + 5; n += 1) logger.log('info', 'line')
  expect(waiting.dropped).toBe(5)
})

test('the folder stays below its limits: the oldest segments go', async () => {
  store.loggerFor('server').log('info', 'creates the folder')
  await store.flush()
  const startOf = (hours: number): number => nowMs - hours * 3_600_000
  for (const hours of [1, 2, 3, 200, 201])
    writeFileSync(pathOfSegment(folder, nameSegment(startOf(hours))), 'x'.repeat(1_000))
  await deleteOldSegments(folder, nowMs)
  const ages = async (): Promise<readonly number[]> =>
    (await listSegments(folder)).map(({ startMs }) => (nowMs - startMs) / 3_600_000)
  // The one of 200 hours may end with a line of 3 hours ago.
  expect(await ages()).toEqual([0, 1, 2, 3, 200])
  await deleteOldSegments(folder, nowMs, { bytesMax: 2_500, ageMaxMs: LOG_AGE_MAX_MS })
  expect(await ages()).toEqual([0, 1, 2])
  expect(readdirSync(home)).toEqual(['logs'])
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('a line that was cut off is skipped, and lines across blocks are whole', async () => {
  const long = 'ü'.repeat(1_500)
  for (let n = 0; n < 300; n += 1) store.loggerFor('server').log('info', `${n} ${long}`)
  await store[Symbol.asyncDispose]()
  const [segment] = await listSegments(folder)
  appendFileSync(pathOfSegment(folder, segment?.name ?? ''), '{"at":"2026-11')
  store = openStore()
  const { entries } = await store.search({ ...all, limit: 1_000 })
  expect(entries.map(({ message }) => message)).toEqual(
    Array.from({ length: 300 }, (_, index) => `${299 - index} ${long}`),
  )
})

test('a search ends after its time, and says where it goes on', async () => {
  const long = 'y'.repeat(1_900)
  for (let n = 0; n < 500; n += 1) store.loggerFor('server').log('info', `${n} ${long}`)
  await store.flush()
  let elapsedMs = 0
  const slow = (): number => (elapsedMs += 1_000)
  const search = { needle: '0 y', matches: ({ message }: { message: string }) => message.startsWith('0 y'), limit: 10 }
  const segments = await listSegments(folder)
  const first = await searchSegments(folder, segments, search, slow)
  expect(first).toMatchObject({ entries: [], searchedTo: '2026-11-30T10:00:00.000Z' })
  const rest = await searchSegments(folder, segments, { ...search, before: first.next })
  expect(rest.entries.length).toBe(1)
})

test('a time range leaves out what is before and after it', async () => {
  for (let n = 0; n < 4; n += 1) {
    store.loggerFor('server').log('info', `hour ${n}`)
    await store.flush()
    nowMs += SEGMENT_AGE_MAX_MS
  }
  const fromMs = Date.parse('2026-11-30T10:30:00Z')
  const toMs = Date.parse('2026-11-30T12:30:00Z')
  const { entries } = await store.search({ ...all, fromMs, toMs })
  expect(entries.map(({ message }) => message)).toEqual(['hour 2', 'hour 1'])
})
