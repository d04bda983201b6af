import { describe, expect, test } from 'vitest'
import { photo } from './file-entry.test-support.ts'
import type { FileEntry } from './file-state.ts'
import { reconcileRows, type AttachmentRow, type RowAction } from './reconcile-rows.ts'

const row: AttachmentRow = { id: 'f1', path: 'dana/f1.jpg' }
const none: ReadonlySet<string> = new Set()

function kinds(files: readonly FileEntry[], rows: readonly AttachmentRow[], undecided = none): readonly string[] {
  return reconcileRows(files, rows, { bucket: 'photos', undecided }).map(({ kind }) => kind)
}

describe('a row without a file', () => {
  const inserted = (change: Partial<AttachmentRow>): RowAction | undefined =>
    reconcileRows([], [{ ...row, ...change }], { bucket: 'photos', undecided: none })[0]

  test('is a file on the server', () => {
    expect(inserted({ size: 5 })?.file).toMatchObject({
      state: 'remote',
      name: 'f1.jpg',
      size: 5,
      bytesName: undefined,
    })
  })

  test('is elsewhere while its device has not uploaded it', () => {
    expect(inserted({ is_uploaded: 0 })?.file.state).toBe('elsewhere')
  })
})

describe('a row that names no file yet', () => {
  const empty = { ...row, path: null }

  test('brings none', () => {
    expect(kinds([], [empty])).toEqual([])
  })

  test.each(['captured', 'queued', 'uploading', 'uploaded'] as const)('leaves one that is %s to go up', (state) => {
    expect(kinds([photo({ state })], [empty])).toEqual([])
  })

  test('takes one away that it named before', () => {
    expect(kinds([photo({ state: 'cached' })], [empty])).toEqual(['forget'])
  })
})

describe('a file without its row', () => {
  test.each(['remote', 'cached', 'linked', 'uploaded', 'evicted', 'downloading'] as const)(
    'leaves the device when it is %s: the person may not see it any more',
    (state) => expect(kinds([photo({ state })], [])).toEqual(['forget']),
  )

  test.each(['captured', 'queued', 'uploading'] as const)('is left to the person when it is %s', (state) => {
    expect(kinds([photo({ state })], [])).toEqual(['row_gone'])
  })

  test('waits while the refused change that made the row is undecided', () => {
    expect(kinds([photo({ state: 'queued' })], [], new Set(['f1']))).toEqual([])
  })

  test('goes on when the row is back', () => {
    const problem = { code: 'row_gone', message: 'gone', status: undefined }
    expect(kinds([photo({ state: 'refused', problem })], [row])).toEqual(['retried'])
    expect(kinds([photo({ state: 'refused', problem: { ...problem, code: 'EntityTooLarge' } })], [row])).toEqual([])
  })
})

describe('a file with its row', () => {
  test('is announced once its device has uploaded it', () => {
    const file = photo({ state: 'elsewhere' })
    expect(kinds([file], [{ ...row, is_uploaded: 0 }])).toEqual([])
    expect(kinds([file], [{ ...row, is_uploaded: 1 }])).toEqual(['announced'])
  })

  test('comes down when the row calls it eager, unless it was evicted', () => {
    expect(kinds([photo({ state: 'remote', isEager: true })], [{ ...row, is_eager: 1 }])).toEqual(['want'])
    expect(kinds([photo({ state: 'evicted', isEager: true })], [{ ...row, is_eager: 1 }])).toEqual([])
  })

  test('is forgotten when the row names another object', () => {
    expect(kinds([photo({ state: 'cached' })], [{ ...row, path: 'dana/other.jpg' }])).toEqual(['forget'])
  })

  test('stays as it is otherwise', () => {
    expect(kinds([photo({ state: 'cached' })], [row])).toEqual([])
    expect(kinds([photo({ state: 'uploading' })], [{ ...row, is_uploaded: 0 }])).toEqual([])
  })
})
