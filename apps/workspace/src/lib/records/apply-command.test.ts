import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { column, Schema, Table } from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FieldValue } from '../fields/field.ts'
import { applyCommand } from './apply-command.ts'
import { type Command, inverseOf, type RecordChange, recordKey } from './record-change.ts'

// Invariants: a command followed by its inverse leaves every record unchanged; an inverse never silently overwrites an intermediate change; one command is one
// transaction.

const schema = new Schema({
  tasks: new Table({ title: column.text, points: column.integer }, { trackMetadata: true }),
})
const folder = mkdtempSync(join(tmpdir(), 'holdfast-records-'))
let database: PowerSyncDatabase

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
beforeEach(() => database.disconnectAndClear())

const tasks = (): Promise<readonly Record<string, FieldValue>[]> => database.getAll('select * from tasks order by id')
const insert = (id: string, values: Record<string, FieldValue>): RecordChange => ({
  kind: 'insert',
  table: 'tasks',
  id,
  values,
})
const retitle = (id: string, before: FieldValue, title: FieldValue): RecordChange => ({
  kind: 'update',
  table: 'tasks',
  id,
  values: { title },
  before: { title: before },
})
const command = (...changes: readonly RecordChange[]): Command => ({ id: 'c1', label: 'test', changes })
const unchecked = { isChecked: false }
const checked = { isChecked: true }
const applied = { kind: 'applied', already: 0 }

describe('applying a command', () => {
  test('is one transaction in the outbox, with what was done beside it', async () => {
    await applyCommand(
      database,
      command(insert('t1', { title: 'a' }), insert('t2', { points: 2 }), retitle('t1', 'a', 'c')),
      unchecked,
    )
    const transaction = await database.getNextCrudTransaction()
    expect(transaction?.crud.map(({ op, id, opData }) => [op, id, opData])).toEqual([
      ['PUT', 't1', { title: 'a' }],
      ['PUT', 't2', { points: 2 }],
      ['PATCH', 't1', { title: 'c' }],
    ])
    expect(JSON.parse(transaction?.crud[0]?.metadata ?? '')).toMatchObject({ cmd: 'test', at: expect.any(String) })
  })

  test('sends what was written into a record that has gone meanwhile, with what the person saw', async () => {
    await applyCommand(database, command(insert('t1', { title: 'a' }), insert('t2', { title: 'a' })), unchecked)
    await (await database.getNextCrudTransaction())?.complete()
    await database.execute('delete from ps_data__tasks')
    const removal: RecordChange = { kind: 'delete', table: 'tasks', id: 't2', values: { title: 'a' } }
    await applyCommand(database, command(retitle('t1', 'a', 'ten minutes of work'), removal), unchecked)
    const { crud = [] } = (await database.getNextCrudTransaction()) ?? {}
    expect(crud).toMatchObject([
      {
        op: 'PATCH',
        id: 't1',
        table: 'tasks',
        opData: { title: 'ten minutes of work' },
        previousValues: { title: 'a' },
        metadata: expect.stringContaining('"command":"c1"'),
      },
    ])
    expect(await tasks()).toEqual([])
  })

  test('sends only the changed column', async () => {
    await applyCommand(database, command(insert('t1', { title: 'a', points: 3 })), unchecked)
    await (await database.getNextCrudTransaction())?.complete()
    await applyCommand(database, command(retitle('t1', 'a', 'b')), unchecked)
    expect((await database.getNextCrudTransaction())?.crud[0]?.opData).toEqual({ title: 'b' })
  })

  test('by record is one transaction for each record', async () => {
    const paste = { ...command(insert('t1', { title: 'a' }), insert('t2', { title: 'b' })), byRecord: true }
    await applyCommand(database, paste, unchecked)
    const sizes: number[] = []
    for await (const { crud } of database.getCrudTransactions()) sizes.push(crud.length)
    expect(sizes).toEqual([1, 1])
  })

  test('of a deletion carries the metadata as well', async () => {
    await applyCommand(database, command(insert('t1', { title: 'a' })), unchecked)
    await (await database.getNextCrudTransaction())?.complete()
    await applyCommand(
      database,
      command({ kind: 'delete', table: 'tasks', id: 't1', values: { title: 'a' } }),
      unchecked,
    )
    expect(await tasks()).toEqual([])
    expect((await database.getNextCrudTransaction())?.crud[0]).toMatchObject({
      op: 'DELETE',
      metadata: expect.stringContaining('test'),
    })
  })
})

describe('undoing', () => {
  test('asks when another person has changed the value since, and writes nothing', async () => {
    const done = command(retitle('t1', 'a', 'b'))
    await applyCommand(database, command(insert('t1', { title: 'a', points: 1 })), unchecked)
    await applyCommand(database, done, unchecked)
    await database.execute(`update tasks set title = 'theirs' where id = 't1'`)
    expect(await applyCommand(database, inverseOf(done), checked)).toEqual({
      kind: 'changed_since',
      records: [{ table: 'tasks', id: 't1' }],
    })
    expect(await tasks()).toMatchObject([{ title: 'theirs' }])
  })

  test('does not ask when another field was changed, or the server wrote the same value its way', async () => {
    const done = command(retitle('t1', 'a', '12.5'))
    await applyCommand(database, command(insert('t1', { title: 'a', points: 1 })), unchecked)
    await applyCommand(database, done, unchecked)
    await database.execute(`update tasks set title = '12.50', points = 7 where id = 't1'`)
    expect(await applyCommand(database, inverseOf(done), checked)).toEqual(applied)
    expect(await tasks()).toMatchObject([{ title: 'a', points: 7 }])
  })

  test('of a creation does not ask because the server filled in what was left empty', async () => {
    const done = command(insert('t1', { title: 'a', points: null }))
    await applyCommand(database, done, unchecked)
    await database.execute(`update tasks set points = 9 where id = 't1'`)
    expect(await applyCommand(database, inverseOf(done), checked)).toEqual(applied)
    expect(await tasks()).toEqual([])
  })

  test('has nothing to put back where the server did not accept the command, and does not speak of a change since', async () => {
    const ids = ['t1', 't2', 't3']
    await applyCommand(database, command(...ids.map((id) => insert(id, { title: 'a' }))), unchecked)
    const paste = { ...command(...ids.map((id) => retitle(id, 'a', 'b'))), byRecord: true }
    await applyCommand(database, paste, unchecked)
    await database.execute(`update tasks set title = 'a' where id = 't2'`) // as the next checkpoint does after a rejection
    await database.execute('delete from ps_crud')
    expect(await applyCommand(database, inverseOf(paste), checked)).toEqual({ kind: 'applied', already: 1 })
    expect((await tasks()).map(({ title }) => title)).toEqual(['a', 'a', 'a'])
    expect(await database.getAll(`select data ->> '$.id' as id from ps_crud`)).toEqual([{ id: 't3' }, { id: 't1' }])
  })

  test.each([
    ['a creation', command(insert('t1', { title: 'a' })), `delete from tasks where id = 't1'`],
    [
      'a deletion',
      command({ kind: 'delete', table: 'tasks', id: 't2', values: { title: 'kept', points: null } }),
      `insert into tasks (id, title, points) values ('t2', 'kept', 4)`,
    ],
  ])('of %s that was not accepted does not ask', async (_what, done, asTheServerHasIt) => {
    await database.execute(`insert into tasks (id, title) values ('t2', 'kept')`)
    await applyCommand(database, done, unchecked)
    await database.execute(asTheServerHasIt)
    expect(await applyCommand(database, inverseOf(done), checked)).toEqual({ kind: 'applied', already: 1 })
  })

  test('leaves records alone that the command never reached', async () => {
    const done = command(retitle('t1', 'a', 'b'))
    await applyCommand(database, command(insert('t1', { title: 'a' })), unchecked)
    await applyCommand(database, done, unchecked)
    const without = new Set([recordKey({ table: 'tasks', id: 't1' })])
    expect(await applyCommand(database, inverseOf(done), { isChecked: true, without })).toEqual(applied)
    expect(await tasks()).toMatchObject([{ title: 'b' }])
  })

  test('undoes every sequence of commands, and redoing makes it again', async () => {
    const id = fc.constantFrom('t1', 't2', 't3')
    const values = fc.record({
      title: fc.option(fc.constantFrom('a', 'b', '1.0', '')),
      points: fc.option(fc.integer({ min: 0, max: 3 })),
    })
    const wish = fc.record({ kind: fc.constantFrom('insert', 'update', 'delete'), id, values })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(wish, { minLength: 1, maxLength: 3 }), { maxLength: 5 }), async (wishes) => {
        await database.execute('delete from tasks')
        await database.execute(`insert into tasks (id, title, points) values ('t1', 'first', 1)`)
        const states = [await tasks()]
        const done: Command[] = []
        const model = new Map<string, Record<string, FieldValue>>([['t1', { title: 'first', points: 1 }]])
        for (const group of wishes) {
          const next = command(...group.flatMap((one) => possible(model, one)))
          await applyCommand(database, next, unchecked)
          done.push(next)
          states.push(await tasks())
        }
        for (const [index, one] of [...done.entries()].toReversed()) {
          expect(await applyCommand(database, inverseOf(one), checked)).toEqual(applied)
          expect(await tasks()).toEqual(states[index])
        }
        for (const [index, one] of done.entries()) {
          expect(await applyCommand(database, inverseOf(inverseOf(one)), checked)).toEqual(applied)
          expect(await tasks()).toEqual(states[index + 1])
        }
      }),
      { numRuns: runsOf(25) },
    )
  }, 60_000)
})

interface Wish {
  readonly kind: string
  readonly id: string
  readonly values: Record<string, FieldValue>
}

/** Restricts a wish to what a screen allows: create only new records, change only existing ones. */
function possible(model: Map<string, Record<string, FieldValue>>, { kind, id, values }: Wish): readonly RecordChange[] {
  const row = model.get(id)
  const wanted = { title: values['title'] ?? null, points: values['points'] ?? null }
  if (!row) {
    model.set(id, wanted)
    return [insert(id, wanted)]
  }
  if (kind === 'delete') {
    model.delete(id)
    return [{ kind: 'delete', table: 'tasks', id, values: row }]
  }
  model.set(id, wanted)
  return [{ kind: 'update', table: 'tasks', id, values: wanted, before: row }]
}
