import { expect, test } from 'vitest'
import { chooseWork, nextMoment, type WorkFacts } from './choose-work.ts'
import { photo } from './file-entry.test-support.ts'
import type { FileEntry } from './file-state.ts'

const facts: WorkFacts = {
  nowMs: 100,
  busy: new Map(),
  isOpen: true,
  waitingRows: new Set(),
  firstWaiting: undefined,
}
const files = (...changes: readonly Partial<FileEntry>[]): readonly FileEntry[] =>
  changes.map((change, index) => photo({ id: `f${index}`, ...change }))
const chosen = (some: readonly FileEntry[], change: Partial<WorkFacts> = {}): readonly string[] =>
  chooseWork(some, { ...facts, ...change }).map(({ kind, file }) => `${kind} ${file.id}`)

test('two files go up at once, oldest first', () => {
  const queued = files({ state: 'queued' }, { state: 'queued' }, { state: 'queued' })
  expect(chosen(queued)).toEqual(['send f0', 'send f1'])
  expect(chosen(queued, { busy: new Map([['f0', 'send']]) })).toEqual(['send f1'])
})

test('two files are prepared at once, oldest first, so that few pictures are decoded', () => {
  const captured = files({ state: 'captured' }, { state: 'captured' }, { state: 'captured' })
  expect(chosen(captured)).toEqual(['prepare f0', 'prepare f1'])
  expect(chosen(captured, { busy: new Map([['f0', 'prepare']]) })).toEqual(['prepare f1'])
})

test('a file waits until the server has its row, and the next one goes', () => {
  const queued = files({ state: 'queued' }, { state: 'queued' })
  expect(chosen(queued, { waitingRows: new Set(['f0']) })).toEqual(['send f1'])
})

test('the file opened last comes first, files that are only due come last', () => {
  const wanted = files(
    { state: 'queued_download', isEager: true },
    { state: 'queued_download', usedAtMs: 5 },
    { state: 'queued_download', usedAtMs: 9 },
  )
  expect(chosen(wanted)).toEqual(['fetch f2', 'fetch f1'])
  expect(chosen(wanted, { busy: new Map([['f2', 'fetch']]) })).toEqual(['fetch f1'])
  expect(chosen(wanted.slice(0, 2))).toEqual(['fetch f1', 'fetch f0'])
})

test('without a network only the work on this device is done', () => {
  const some = files({ state: 'captured' }, { state: 'queued' }, { state: 'queued_download' }, { state: 'uploaded' })
  expect(chosen(some, { isOpen: false })).toEqual(['prepare f0', 'link f3'])
})

test('a link is accepted when the outbox is past it', () => {
  const linked = files({ state: 'uploaded', linkPosition: 7 })
  expect(chosen(linked, { firstWaiting: 7 })).toEqual([])
  expect(chosen(linked, { firstWaiting: 8 })).toEqual(['accept_link f0'])
  expect(chosen(linked)).toEqual(['accept_link f0'])
})

test('paused files, and files whose next attempt is later, are left alone', () => {
  const some = files({ state: 'queued', isPaused: true }, { state: 'queued', notBeforeMs: 101 })
  expect(chosen(some)).toEqual([])
  expect(nextMoment(some, 100)).toBe(101)
})

test('a moment that only a clock that was wrong can have meant is not waited for, nor told to a timer that cannot count so far', () => {
  const some = files({ state: 'queued', notBeforeMs: 30 * 86_400_000 })
  expect(chosen(some)).toEqual(['send f0'])
  expect(nextMoment(some, 100)).toBeUndefined()
})
