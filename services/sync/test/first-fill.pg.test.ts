import { expect, test } from 'vitest'
import { delay } from '@holdfast/foundation'
import { dropSlots } from './drop-slots.ts'
import { ALICE, BOB, LISTS_SCHEMA, openWorld } from './sync-world.ts'

const ROWS = `
  insert into public.items (owner_id, title, n)
  select case n % 3 when 0 then '${ALICE}'::uuid when 1 then '${BOB}'::uuid end, 'row ' || n, n from generate_series(1, 60000) n;
`

test('large tables are read for the first time in pieces, which survive the end of the process, while people write', async () => {
  await using world = await openWorld({ schema: LISTS_SCHEMA + ROWS, snapshotBytesMax: 0 })
  const alice = world.device(ALICE)
  alice.connect()
  await alice.until(() => alice.completed.length > 0)
  expect(alice.state).toEqual(await world.visible(ALICE))

  // The slot is lost: everything is read again.
  await world.stop()
  await dropSlots(world)
  const restarting = world.restart().catch(() => undefined) // it is stopped before it is ready
  const readSoFar = async (): Promise<{ definition: number; filled_to: string[] | null }[]> =>
    await world.rows(`select definition, filled_to from sync.fills where filled_to is not null`)
  let begun = await readSoFar()
  while (begun.length === 0) {
    await delay(5)
    begun = await readSoFar()
  }
  await world.run(`update public.items set n = -n, title = 'changed' where n % 7 = 0`)
  await world.stop()
  await restarting
  const left = await readSoFar()
  expect(left.length).toBeGreaterThan(0)
  await world.run(`delete from public.items where n % 11 = 0; update public.items set owner_id = '${ALICE}' where n % 13 = 0;
    insert into public.items (owner_id, title, n) select '${BOB}', 'new', n from generate_series(1, 500) n`)

  await world.restart()
  const kept = await world.rows<{ number: number }>(`select number from sync.definitions where not dropped`)
  expect(kept.map(({ number }) => number)).toEqual(expect.arrayContaining(left.map(({ definition }) => definition)))
  for (const person of [ALICE, BOB]) {
    const device = world.device(person)
    device.connect()
    await device.until(() => device.completed.length > 0, 'the first checkpoint')
    expect(device.state).toEqual(await world.visible(person))
    expect(device.faults).toEqual([])
  }
  expect(await world.rows(`select filling from sync.state`)).toEqual([{ filling: false }])
})
