import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RejectedChange, RejectedChanges } from '@holdfast/client'
import { column, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CHANGES_MAX } from './apply-command.ts'
import { missingFields, removalOf, removeDraft, saveDraft, toDraft, DRAFT_SQL, type DraftRow } from './drafts.ts'
import type { RecordChange } from './record-change.ts'
import { createRecordWriter, type RecordWriter, useUndo } from './create-record-writer.ts'
import { isOfCommand, refusedRecords } from './refused-records.ts'
import { TEST_FIELDS } from '../fields/test-fields.test-support.ts'

const schema = new Schema({
  tasks: new Table({ title: column.text, points: column.integer }, { trackMetadata: true }),
  hf_local_drafts: Table.createLocalOnly({
    table_name: column.text,
    record_id: column.text,
    form_id: column.text,
    field_values: column.text,
    updated_at: column.text,
  }),
})
const folder = mkdtempSync(join(tmpdir(), 'holdfast-writer-'))
let database: PowerSyncDatabase
let writer: RecordWriter
const told: string[] = []

beforeAll(async () => {
  database = new PowerSyncDatabase({
    schema,
    database: {
      dbFilename: 'device.db',
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
  })
  await database.init()
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await database.disconnectAndClear()
  useUndo.setState({ userId: undefined })
  writer = writerOf('ana')
})

/** No rejections. */
const NONE_REFUSED = { list: async () => [], withdraw: async () => undefined } as unknown as RejectedChanges
const writerOf = (userId: string, rejected = NONE_REFUSED): RecordWriter =>
  createRecordWriter(
    database,
    rejected,
    userId,
    (text) => void told.push(text),
    async (changes) => {
      const isAbout = (title: string): boolean => changes.some(({ values }) => values['title'] === title)
      if (isAbout(SLOWLY_JUDGED)) await new Promise((resolve) => setTimeout(resolve, 100))
      return isAbout(FORBIDDEN) ? { kind: 'refused', words: 'Only a lead does.', columns: ['title'] } : undefined
    },
    async (command) => command,
  )
const SLOWLY_JUDGED = 'slowly judged'
const FORBIDDEN = 'forbidden'
const insert = (id: string, title: string): RecordChange => ({ kind: 'insert', table: 'tasks', id, values: { title } })
const create = (id: string, title = id): Promise<boolean> =>
  writer.write({ label: `Create ${id}`, changes: [insert(id, title)] })
const titles = async (): Promise<readonly string[]> =>
  (await database.getAll<{ title: string }>('select title from tasks order by id')).map(({ title }) => title)

test('an undo that the rules refuse is not made, and nobody is told that it was', async () => {
  await create('t1', 'first')
  await writer.write({
    label: 'change of Title',
    changes: [{ kind: 'update', table: 'tasks', id: 't1', values: { title: 'second' }, before: { title: 'first' } }],
  })
  told.length = 0
  const forbidding = createRecordWriter(
    database,
    NONE_REFUSED,
    'ana',
    (text) => void told.push(text),
    async (changes) =>
      changes.some(({ values }) => values['title'] === 'first')
        ? { kind: 'refused', words: 'State goes from Doing to Done.', columns: ['title'] }
        : undefined,
    async (command) => command,
  )
  await forbidding.undo()
  expect(told).toEqual(['Can’t undo change of Title. State goes from Doing to Done.'])
  expect(await titles()).toEqual(['second'])
  expect(useUndo.getState().stack.done.map(({ label }) => label)).toEqual(['Create t1', 'change of Title'])
})

describe('what a person writes', () => {
  test('is not stored where it would be refused, and nothing is there to undo', async () => {
    const command = { label: 'Create t1', changes: [insert('t1', FORBIDDEN)] }
    expect(await writer.tryWrite(command)).toMatchObject({ kind: 'refused', words: 'Only a lead does.' })
    expect(await writer.writeOrTell(command)).toBe(false)
    expect(told.at(-1)).toBe('Not saved (Create t1). Only a lead does.')
    expect([await titles(), useUndo.getState().stack.done]).toEqual([[], []])
    expect(await writer.tryWrite({ label: 'Create t2', changes: [insert('t2', 't2')] })).toBeUndefined()
    expect(await titles()).toEqual(['t2'])
  })

  test('is taken back newest first, and made again', async () => {
    await create('t1')
    await create('t2')
    await writer.undo()
    expect(await titles()).toEqual(['t1'])
    await writer.undo()
    expect(await titles()).toEqual([])
    await writer.redo()
    expect(await titles()).toEqual(['t1'])
  })

  test('cannot be made again after something else was written', async () => {
    await create('t1')
    await writer.undo()
    await create('t2')
    await writer.redo()
    expect(await titles()).toEqual(['t2'])
  })

  test('is stored in the order in which it was done, of all writers, however long each is judged; an undo takes back the last', async () => {
    await create('t1', 'as it was')
    const retitle = (before: string, title: string): RecordChange => ({
      kind: 'update',
      table: 'tasks',
      id: 't1',
      values: { title },
      before: { title: before },
    })
    const other = writerOf('ana')
    await Promise.all([
      writer.tryWrite({ label: 'One', changes: [retitle('as it was', SLOWLY_JUDGED)] }),
      other.tryWrite({ label: 'Two', changes: [retitle(SLOWLY_JUDGED, 'last')] }),
    ])
    expect([await titles(), useUndo.getState().stack.done.map(({ label }) => label)]).toEqual([
      ['last'],
      ['Create t1', 'One', 'Two'],
    ])
    await Promise.all([
      writer.tryWrite({ label: 'Three', changes: [retitle('last', SLOWLY_JUDGED)] }),
      other.undo(),
      writer.undo(),
    ])
    expect([await titles(), useUndo.getState().pending]).toEqual([[SLOWLY_JUDGED], undefined])
  })

  test('is nothing without changes, and refused whole when there are too many', async () => {
    expect(await writer.write({ label: 'Nothing', changes: [] })).toBe(true)
    const many = Array.from({ length: CHANGES_MAX + 1 }, (_, index) => insert(`t${index}`, ''))
    expect(await writer.write({ label: 'Too many', changes: many })).toBe(false)
    expect([await titles(), useUndo.getState().stack.done]).toEqual([[], []])
  })

  test('asks before an undo writes over a later change, and does so only when told to', async () => {
    await create('t1', 'mine')
    const retitle = {
      kind: 'update',
      table: 'tasks',
      id: 't1',
      values: { title: 'changed' },
      before: { title: 'mine' },
    } as const
    await writer.write({ label: 'Change', changes: [retitle] })
    await database.execute(`update tasks set title = 'theirs'`)
    await writer.undo()
    expect([useUndo.getState().pending?.records, await titles()]).toEqual([[{ table: 'tasks', id: 't1' }], ['theirs']])
    writer.dropPending()
    await writer.confirmPending()
    expect(await titles()).toEqual(['theirs'])
    await writer.undo()
    await writer.confirmPending()
    expect([await titles(), useUndo.getState().pending]).toEqual([['mine'], undefined])
  })

  test('is no business of the next person on this device', async () => {
    await create('t1')
    writer = writerOf('ben')
    await writer.undo()
    expect(await titles()).toEqual(['t1'])
  })

  test('is withdrawn from needs attention where the server had refused it', async () => {
    await create('t1')
    const [command] = useUndo.getState().stack.done
    const withdrawn: boolean[] = []
    const item = refusedBy(command?.id ?? '', 't1')
    writer = writerOf('ana', {
      list: async () => [item],
      withdraw: async (isOwn: (operation: RejectedChange['operations'][number]) => boolean) =>
        void withdrawn.push(...item.operations.map(isOwn)),
    } as unknown as RejectedChanges)
    await writer.undo()
    expect(withdrawn).toEqual([true])
  })
})

function refusedBy(commandId: string, id: string): RejectedChange {
  const operation = {
    op_id: 1,
    op: 'PUT',
    type: 'tasks',
    id,
    data: {},
    metadata: JSON.stringify({ command: commandId }),
  }
  return { operations: [operation], held: [] } as unknown as RejectedChange
}

describe('the records of a refused command', () => {
  test('are those of its own operations, also of waiting ones', () => {
    const other = refusedBy('c2', 't2')
    const item = { ...refusedBy('c1', 't1'), held: [{ position: 2, operations: refusedBy('c1', 't3').operations }] }
    expect([...refusedRecords([item, other], 'c1')]).toEqual(['tasks\0t1', 'tasks\0t3'])
  })

  test('are not found by an id that only looks alike', () => {
    const [operation] = refusedBy('c12', 't1').operations
    expect(operation && isOfCommand('c1')(operation)).toBe(false)
  })
})

describe('a draft', () => {
  const read = async (): Promise<unknown> => {
    const row = await database.getOptional<DraftRow>(DRAFT_SQL, ['d1'])
    return row ? toDraft(row) : undefined
  }

  test('is kept on this device with its last values, sends nothing, and is gone when it is removed', async () => {
    await saveDraft(database, { id: 'd1', table: 'tasks', values: { title: 'a' } })
    await saveDraft(database, { id: 'd1', table: 'tasks', values: { title: 'b', points: 3 } })
    expect(await read()).toEqual({ id: 'd1', table: 'tasks', values: { title: 'b', points: 3 } })
    expect(await database.getAll('select * from ps_crud')).toEqual([])
    await removeDraft(database, 'd1')
    expect(await read()).toBeUndefined()
  })

  test('ends in the transaction that makes a record of it, and stays when that fails; taking the record back does not bring it', async () => {
    const made: RecordChange = { kind: 'insert', table: 'tasks', id: 'd1', values: { title: 'a' } }
    const command = { label: 'New task', changes: [made], drafts: [removalOf('d1')] }
    await saveDraft(database, { id: 'd1', table: 'tasks', values: { title: 'a' } })
    await expect(writer.write({ ...command, changes: [made, made] })).rejects.toThrow('UNIQUE')
    expect([await titles(), await read()]).toEqual([[], { id: 'd1', table: 'tasks', values: { title: 'a' } }])
    await writer.write(command)
    expect([await titles(), await read()]).toEqual([['a'], undefined])
    await saveDraft(database, { id: 'd1', table: 'tasks', values: { title: 'b' } })
    await writer.undo()
    await writer.redo()
    expect([await titles(), await read()]).toEqual([['a'], { id: 'd1', table: 'tasks', values: { title: 'b' } }])
  })

  test('lacks what the database would refuse the record for, and nothing that it fills in itself', () => {
    expect(missingFields(TEST_FIELDS, {}).map(({ name }) => name)).toEqual(['title'])
    expect(missingFields(TEST_FIELDS, { title: 'a' })).toEqual([])
  })
})
