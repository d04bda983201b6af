import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPlayedDevice, playServer, type PlayedDevice } from './played-device.test-support.ts'
import { UploadPostponed } from './upload-queue.ts'

/*
 * What is pinned here: an operation that a person made is at each moment on the server, in the outbox or in needs attention; never lost, never
 * applied twice, and a refused one never blocks what does not depend on it. The database is a real one; only the network is played.
 */

let device: PlayedDevice
let database: PlayedDevice['database']

beforeEach(async () => {
  device = await openPlayedDevice()
  database = device.database
})

afterEach(() => device[Symbol.asyncDispose]())

type Step =
  | { do: 'write'; table: 'sites' | 'tasks'; id: string; name: string; site: string | null }
  | { do: 'remove'; id: string }
  | { do: 'upload'; faults: ('none' | 'lost_before' | 'lost_after' | 503 | 'portal')[] }
  | { do: 'die_before_completing' }
  | { do: 'restart' }
  | { do: 'retry' | 'discard' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      table: fc.constantFrom('sites' as const, 'tasks' as const),
      id: fc.constantFrom('1', '2', '3'),
      name: fc.constantFrom('good', 'fine', 'bad'),
      site: fc.constantFrom(null, '1', '2'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), id: fc.constantFrom('1', '2', '3') }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('upload' as const),
      faults: fc.array(
        fc.constantFrom(
          'none' as const,
          'lost_before' as const,
          'lost_after' as const,
          503 as const,
          'portal' as const,
        ),
        { maxLength: 3 },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'restart' as const }, { do: 'die_before_completing' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('retry' as const, 'discard' as const) }) },
)

/** Operations by position that are in the outbox or undecided. */
async function unsent(): Promise<readonly number[]> {
  const queued = await database.getAll<{ id: number }>('select id from ps_crud')
  const items = await device.rejected().list()
  const kept = items.flatMap((item) => [...item.operations, ...item.held.flatMap((held) => held.operations)])
  return [...queued.map((row) => row.id), ...kept.map((operation) => operation.op_id)]
}

test('whatever fails in between, each operation is on the server once, or waiting, or undecided, or decided by the person', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25, size: 'max' }), async (steps) => {
      await database.disconnectAndClear()
      device.server = playServer()
      device.restart()
      const decided = new Set<number>()
      const made = new Set<number>()
      for (const entry of steps) {
        await perform(entry, decided)
        for (const { id } of await database.getAll<{ id: number }>('select id from ps_crud')) made.add(id)
      }
      await device.drain()
      const places = [...device.server.applied, ...(await unsent()), ...decided]
      expect(places.sort((a, b) => a - b)).toEqual([...made].sort((a, b) => a - b))
    }),
    { numRuns: 120 },
  )
}, 60_000)

async function perform(entry: Step, decided: Set<number>): Promise<void> {
  switch (entry.do) {
    case 'write': {
      const exists = await database.getOptional(`select 1 from ${entry.table} where id = ?`, [entry.id])
      if (entry.table === 'sites') {
        await database.execute(
          exists ? 'update sites set name = ? where id = ?' : 'insert into sites (name, id) values (?, ?)',
          [entry.name, entry.id],
        )
      } else {
        const statement = exists
          ? 'update tasks set title = ?, site_id = ? where id = ?'
          : 'insert into tasks (title, site_id, id) values (?, ?, ?)'
        await database.execute(statement, [entry.name, entry.site, entry.id])
      }
      return
    }
    case 'remove':
      await database.execute('delete from tasks where id = ?', [entry.id])
      return
    case 'upload':
      device.server.faults = entry.faults
      await device.queue.upload(database).catch((error: unknown) => {
        if (!(error instanceof UploadPostponed)) throw error
      })
      device.nowMs += 2_000
      return
    case 'die_before_completing':
      device.server.faults = []
      device.nowMs += 100_000
      await device.queue.upload(device.failingToComplete()).catch((error: Error) => expect(error.message).toBe('died'))
      device.restart()
      return
    case 'restart': // what a queue remembers in memory is lost
      device.restart()
      return
    case 'retry':
    case 'discard': {
      const [item] = await device.rejected().list()
      if (!item) return
      const edits = item.operations.map((operation) => ({
        table: operation.type,
        recordId: operation.id,
        values: { [operation.type === 'sites' ? 'name' : 'title']: 'good' },
      }))
      const done = await (
        entry.do === 'retry' ? device.rejected().retry(item.id, edits) : device.rejected().discard(item.id)
      ).catch(() => false)
      if (!done) return
      const after = await device.rejected().get(item.id)
      const given = [...item.operations, ...(after?.held ?? []).flatMap((held) => held.operations)]
      for (const operation of given) decided.add(operation.op_id)
    }
  }
}
