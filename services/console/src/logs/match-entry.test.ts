import { expect, test } from 'vitest'
import type { LogEntry } from '@holdfast/protocol'
import { maskEntry } from './mask-entry.ts'
import { matchesFilter, type LogFilter } from './match-entry.ts'

const request: LogEntry = {
  at: '2026-11-30T10:00:00.000Z',
  level: 'warn',
  service: 'rest',
  message: 'invalid input syntax for type uuid: "dana@example.org"',
  requestId: 'r1',
  userId: 'u1',
  request: { method: 'GET', path: '/rest/v1/orders', status: 400, ms: 3, code: '22P02', address: '10.0.0.7' },
}

test.each<[LogFilter, boolean]>([
  [{}, true],
  [{ service: 'auth' }, false],
  [{ level: 'warn' }, true],
  [{ level: 'error' }, false],
  [{ requestId: 'r1', users: ['u0', 'u1'] }, true],
  [{ users: [] }, false],
  [{ status: '4xx' }, true],
  [{ status: '404' }, false],
  [{ text: 'SYNTAX' }, true],
  [{ text: '22p02' }, true],
  [{ text: 'nothing of it' }, false],
])('the filter %j passes: %s', (filter, passes) => expect(matchesFilter(request, filter)).toBe(passes))

test('a search finds nothing that a viewer does not see', () => {
  const masked = maskEntry(request)
  expect(JSON.stringify(masked)).not.toMatch(/dana|10\.0\.0\.7/)
  expect(matchesFilter(masked, { text: 'dana' })).toBe(false)
  expect(matchesFilter(masked, { text: '22P02' })).toBe(true)
})

test('names of files and values of fields are masked', () => {
  const path = '/storage/v1/object/letters/dana.pdf'
  const masked = maskEntry({ ...request, request: { ...request.request!, path }, fields: { table: 'orders' } })
  expect(masked.request?.path).toBe('/storage/v1/object/letters/•••')
  expect(masked.fields).toEqual({ table: '•••' })
})

test('the messages of the server itself stay readable, those of functions do not', () => {
  const line: LogEntry = { at: request.at, level: 'info', service: 'sync', message: 'a table was read for sync' }
  expect(maskEntry(line)).toEqual(line)
  expect(maskEntry({ ...line, service: 'functions' }).message).toBe('Shown to developers only.')
})
