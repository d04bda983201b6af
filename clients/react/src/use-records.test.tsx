// @vitest-environment happy-dom
import { act, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openOfflineClient, PATIENCE, type OfflineClient } from './offline-client.test-support.tsx'
import { useRecord } from './use-record.ts'
import { useRecords } from './use-records.ts'
import { useWrite } from './use-write.ts'

let offline: OfflineClient
beforeEach(async () => {
  offline = await openOfflineClient()
  const { database } = await offline.opened()
  await database.execute(`insert into notes (id, body) values ('1', 'one'), ('2', 'two')`)
})
afterEach(() => offline[Symbol.asyncDispose]())

const BODY_SQL = 'select body from notes where id = ?'

interface Note {
  readonly body: string
}

test('rows of a local query stay current', async () => {
  const { result } = offline.render(() => ({
    notes: useRecords<Note>('select body from notes order by id'),
    write: useWrite(),
  }))
  await waitFor(() => expect(result.current?.notes.rows).toEqual([{ body: 'one' }, { body: 'two' }]), PATIENCE)
  await act(async () => {
    await result.current?.write((tx) => tx.execute(`update notes set body = 'more' where id = '2'`))
  })
  await waitFor(() => expect(result.current?.notes.rows).toEqual([{ body: 'one' }, { body: 'more' }]), PATIENCE)
})

test('the last answer stays, as such, until the next query is answered', async () => {
  const seen: { readonly body: string | undefined; readonly isCurrent: boolean }[] = []
  const { result, rerender } = offline.render(
    ({ id }: { readonly id: string }) => {
      const { rows, isCurrent } = useRecords<Note>(BODY_SQL, [id])
      seen.push({ body: rows[0]?.body, isCurrent })
      return rows[0]?.body
    },
    { initialProps: { id: '1' } },
  )
  await waitFor(() => expect(result.current).toBe('one'), PATIENCE)
  seen.length = 0
  rerender({ id: '2' })
  await waitFor(() => expect(result.current).toBe('two'), PATIENCE)
  expect(seen[0]).toEqual({ body: 'one', isCurrent: false })
  expect(seen.at(-1)).toEqual({ body: 'two', isCurrent: true })
  expect(seen).not.toContainEqual(expect.objectContaining({ body: undefined }))
})

test('the same values in a new array are the same query', async () => {
  const { result, rerender } = offline.render(() => useRecords<Note>(BODY_SQL, ['1']))
  await waitFor(() => expect(result.current?.isCurrent).toBe(true), PATIENCE)
  const { rows } = result.current ?? {}
  rerender()
  expect(result.current?.isCurrent).toBe(true)
  expect(result.current?.rows).toBe(rows)
})

test('an empty text asks nothing and is never answered', async () => {
  const { result, rerender } = offline.render(({ sql }: { readonly sql: string }) => useRecords<Note>(sql), {
    initialProps: { sql: '' },
  })
  expect(result.current).toMatchObject({ rows: [], isLoading: true, isCurrent: false, error: undefined })
  rerender({ sql: 'select body from notes order by id' })
  await waitFor(() => expect(result.current?.rows).toHaveLength(2), PATIENCE)
  rerender({ sql: '' })
  expect(result.current).toMatchObject({ isCurrent: false, error: undefined })
})

test('a query that SQLite refuses has an error and is answered', async () => {
  const { result } = offline.render(() => useRecords('select nothing from notes'))
  await waitFor(() => expect(result.current?.error?.message).toMatch(/nothing/), PATIENCE)
  expect(result.current).toMatchObject({ rows: [], isLoading: false })
})

test('the answer for another record is none for this one', async () => {
  const seen: (string | undefined)[] = []
  const { result, rerender } = offline.render(
    ({ id }: { readonly id: string }) => {
      const record = useRecord<Note & { readonly id: string }>('notes', id)
      if (record.row) seen.push(`${id}: ${record.row.id}`)
      return record
    },
    { initialProps: { id: '1' } },
  )
  await waitFor(() => expect(result.current?.row?.body).toBe('one'), PATIENCE)
  rerender({ id: '2' })
  expect(result.current).toMatchObject({ row: undefined, isLoading: true })
  await waitFor(() => expect(result.current?.row?.body).toBe('two'), PATIENCE)
  rerender({ id: 'none' })
  await waitFor(() => expect(result.current?.isLoading).toBe(false), PATIENCE)
  expect(result.current?.row).toBeUndefined()
  expect(new Set(seen)).toEqual(new Set(['1: 1', '2: 2']))
})
