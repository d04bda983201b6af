import type { Transaction } from '@powersync/common'
import { runsOf } from '@holdfast/test-support/runs'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RejectedChange } from '../attention/attention-item.ts'
import { RecordGone } from '../attention/write-row.ts'
import { openPlayedDevice, playServer, type PlayedDevice } from './played-device.test-support.ts'
import { UploadPostponed } from './upload-queue.ts'
import { writeByRecord } from '../queue/write-by-record.ts'

/** Nightly runs use more histories. */
const RUNS = runsOf(50, { variable: 'HOLDFAST_OUTBOX_RUNS' })

/*
 * Pins that every operation is at any time on the server, in the outbox or in needs attention: never lost, never applied twice, and a rejected one never blocks
 * independent ones. The database is real, the network simulated.
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
  | { do: 'point'; ids: string[]; points: number; byRecord: boolean }
  | { do: 'upload'; faults: ('none' | 'lost_before' | 'lost_after' | 503 | 'portal')[] }
  | { do: 'die_before_completing' }
  | { do: 'restart' }
  | { do: 'retry' | 'leave_out' | 'discard' | 'discard_all' | 'withdraw' }

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
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('point' as const),
      ids: fc.uniqueArray(fc.constantFrom('1', '2', '3'), { minLength: 1 }),
      points: fc.integer({ min: 0, max: 9 }),
      byRecord: fc.boolean(),
    }),
  },
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
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'retry' as const,
        'leave_out' as const,
        'discard' as const,
        'discard_all' as const,
        'withdraw' as const,
      ),
    }),
  },
)

/** Positions of operations in the outbox or undecided. */
async function unsent(): Promise<readonly number[]> {
  const queued = await database.getAll<{ id: number }>('select id from ps_crud')
  const items = await device.rejected().list()
  const kept = items.flatMap((item) => [...item.operations, ...item.held.flatMap((held) => held.operations)])
  return [...queued.map((row) => row.id), ...kept.map((operation) => operation.op_id)]
}

test(
  'whatever fails in between, each operation is on the server once, or waiting, or undecided, or decided by the person',
  async () => {
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
      { numRuns: RUNS },
    )
  },
  60_000 + 1_000 * RUNS,
)

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
    case 'restart': // the queue's memory is lost
      device.restart()
      return
    case 'point': {
      const body = async (tx: Transaction): Promise<void> => {
        for (const id of entry.ids) await tx.execute('update tasks set points = ? where id = ?', [entry.points, id])
      }
      await (entry.byRecord ? writeByRecord(database, body) : database.writeTransaction(body))
      return
    }
    case 'withdraw': {
      const own = new Set((await device.rejected().list())[0]?.operations.map(({ op_id }) => op_id))
      const before = await unsent()
      await device.rejected().withdraw(({ op_id }) => own.has(op_id))
      await noteDecided(before, decided)
      return
    }
    case 'retry':
    case 'leave_out':
    case 'discard':
    case 'discard_all': {
      const [item] = await device.rejected().list()
      if (!item) return
      const before = await unsent()
      await decide(entry.do, item).catch((error: unknown) => {
        if (!(error instanceof RecordGone)) throw error
      })
      await noteDecided(before, decided)
    }
  }
}

function decide(how: 'retry' | 'leave_out' | 'discard' | 'discard_all', item: RejectedChange): Promise<boolean> {
  const rejected = device.rejected()
  const fields = item.operations.map(({ type, id }) => ({
    table: type,
    recordId: id,
    column: type === 'sites' ? 'name' : 'title',
  }))
  switch (how) {
    case 'retry':
      return rejected.retry(
        item.id,
        fields.map(({ column, ...record }) => ({ ...record, values: { [column]: 'good' } })),
      )
    case 'leave_out':
      return rejected.retry(
        item.id,
        [],
        fields.map(({ column, ...record }) => ({ ...record, columns: [column] })),
      )
    default:
      return rejected.discard(item.id, { withHeld: how === 'discard_all' })
  }
}

/** Operations removed by a decision are decided; repeated ones are new. */
async function noteDecided(before: readonly number[], decided: Set<number>): Promise<void> {
  const after = new Set(await unsent())
  for (const id of before) if (!after.has(id)) decided.add(id)
}
