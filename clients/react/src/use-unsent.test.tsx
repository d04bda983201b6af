// @vitest-environment happy-dom
import { act, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openOfflineClient, PATIENCE, type OfflineClient } from './offline-client.test-support.tsx'
import { useRejectedChanges } from './use-rejected-changes.ts'
import { useUnsent } from './use-unsent.ts'
import { useWrite } from './use-write.ts'

let offline: OfflineClient
beforeEach(async () => {
  offline = await openOfflineClient()
})
afterEach(() => offline[Symbol.asyncDispose]())

/** As stored by the upload queue. */
const REFUSED = `
  insert into hf_local_attention
    (id, at, position, table_name, record_id, op, operations, verdict, server_row, held_ops, state)
  values ('c:9', '2026-11-20T08:00:00Z', 9, 'notes', '9', 'PUT',
    '[{"op_id":9,"op":"PUT","type":"notes","id":"9","data":{"body":"nine"}}]',
    '{"op_id":9,"status":"error","sqlstate":"23505","message":"taken"}', null, '[]', 'open')`

test('counts changes that are only on this device', async () => {
  const { result } = offline.render(() => ({ unsent: useUnsent(), write: useWrite() }))
  expect(result.current?.unsent).toEqual({ waiting: 0, attention: 0, files: 0 })
  await act(async () => {
    await result.current?.write(async (tx) => {
      await tx.execute(`insert into notes (id, body) values ('1', 'one'), ('2', 'two')`)
      await tx.execute(REFUSED)
    })
  })
  await waitFor(() => expect(result.current?.unsent).toEqual({ waiting: 2, attention: 1, files: 0 }), PATIENCE)
})

test('a write that fails changes nothing and tells its caller', async () => {
  const { result } = offline.render(() => ({ unsent: useUnsent(), write: useWrite() }))
  const write = result.current?.write(async (tx) => {
    await tx.execute(`insert into notes (id, body) values ('1', 'one')`)
    throw new Error('the person thinks again')
  })
  await expect(write).rejects.toThrow('the person thinks again')
  const { database } = await offline.opened()
  expect(await database.getAll('select * from notes')).toEqual([])
})

test('refused changes are listed until they are decided', async () => {
  const { database } = await offline.opened()
  await database.execute(REFUSED)
  const { result } = offline.render(() => useRejectedChanges())
  await waitFor(
    () => expect(result.current?.changes).toMatchObject([{ id: 'c:9', recordId: '9', state: 'open' }]),
    PATIENCE,
  )
  await act(async () => void (await result.current?.discard('c:9')))
  await waitFor(() => expect(result.current?.changes).toEqual([]), PATIENCE)
  expect(result.current?.error).toBeUndefined()
})
