import { describe, expect, test } from 'vitest'
import { sql } from '@holdfast/postgres'
import { openReleaseDevice, openReleaseFixture, releases, UNSENT } from './release-fixture.ts'

/*
 * Every release opens the data folder of every earlier one, and the devices of that time go on: with their session, their rows, and what they had not
 * sent. The folders are kept as the releases left them (`npm run release:fixture`).
 */

test('there is a folder of every release', () => {
  expect(releases()).toContain('0.1.0')
})

describe.each(releases())('a data folder and a device of release %s', (version) => {
  test('go on with this one', async () => {
    await using holdfast = await openReleaseFixture(version)
    await using device = await openReleaseDevice(holdfast, version)
    expect(holdfast.log()).not.toContain('tables are read again')
    await device.settle()
    const titles = await holdfast.admin.query(sql`select title from public.tasks where id = ${UNSENT.id}::uuid`)
    expect(titles).toEqual([{ title: UNSENT.title }])

    await holdfast.admin.execute(sql`update public.tasks set title = 'changed later' where title like 'task 1%'`)
    await device.database.execute(
      `insert into tasks (id, project_id, title, state) select uuid(), project_id, 'new', 'open' from tasks limit 1`,
    )
    await device.settle()
    for (const table of device.tables())
      expect(await device.localRows(table), table).toEqual(await device.visibleRows(table))
    for (const table of ['members', 'notices', 'projects', 'tasks'])
      expect((await device.localRows(table)).size, table).toBeGreaterThan(0)
  })
})
