import { expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { createChangeTap, type ReplicationEvent, type TableName } from '@holdfast/replication'
import { ALICE, openWorld } from './sync-world.ts'

/** Of the rows that a listener has seen, those of a table: the kind, and the last column. */
function rowsOf(events: readonly ReplicationEvent[], table: string): (readonly [kind: string, value: unknown])[] {
  return events.flatMap((event) => {
    if (event.kind !== 'insert' && event.kind !== 'update' && event.kind !== 'delete') return []
    if (event.relation.name !== table) return []
    return [[event.kind, (event.kind === 'delete' ? event.old : event.row).at(-1)] as const]
  })
}

test('a listener gets the changes of tables that sync does not follow, and sync reads on when it fails', async () => {
  const published: TableName[] = [{ schema: 'public', name: 'notes' }]
  const tap = createChangeTap(silentLogger)
  const seen: ReplicationEvent[] = []
  tap.listen((events) => void seen.push(...events))
  tap.listen(() => {
    throw new Error('broken')
  })
  await using world = await openWorld({ tap, alsoPublished: async () => published, quietCompileMs: 50 })
  const device = world.device(ALICE, { format: 'bson' })
  device.connect()
  // A table of another one becomes known while the service runs: its catalog changes, so that policies are compiled.
  await world.run(`create table notes (id int primary key, body text)`)
  await expect
    .poll(async () => await world.rows(`select from pg_publication_tables where tablename = 'notes'`), {
      timeout: 60_000,
    })
    .toHaveLength(1)
  await world.run(`insert into notes values (1, 'a')`)
  await world.run(`update notes set body = 'b'`)
  await world.run(`delete from notes`)
  await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'own')`)
  await device.until(() => device.ids('items').length === 1)
  expect(rowsOf(seen, 'notes')).toEqual([
    ['insert', 'a'],
    ['update', 'b'],
    ['delete', 'b'],
  ])
  expect(rowsOf(seen, 'items')).toHaveLength(1)
  expect(device.faults).toEqual([])

  await world.restart()
  await world.run(`insert into notes values (2, 'c')`)
  await expect.poll(() => rowsOf(seen, 'notes').at(-1)).toEqual(['insert', 'c'])
  expect(rowsOf(seen, 'notes')).toHaveLength(4)
})
