import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'

/*
 * The tables change on the server while changes wait on a device: what was written is shown with its refusal, also where its column is no more, and what has a
 * place yet can be sent.
 */

test('what waits for a column that is dropped can be read, and the rest is sent without it', async ({
  arrive,
  holdfast: { admin },
}) => {
  for (const statement of [
    sql`create table public.jots (id uuid primary key default gen_random_uuid(), title text not null, body text, note text)`,
    sql`alter table public.jots enable row level security`,
    sql`grant select, insert, update on public.jots to authenticated`,
    sql`create policy all_jots on public.jots for all to authenticated using (true) with check (true)`,
    sql`insert into public.jots (title, body) values ('jot one', 'as it was'), ('jot two', 'as it was')`,
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- each needs the one before
    await admin.execute(statement)
  }
  const mina = await arrive('mina')
  const { page } = mina
  const grid = gridOf(page)
  await mina.openTable('jots')
  await expect(grid.row('jot one')).toHaveCount(1)

  await mina.goOffline()
  await grid.type('jot one', 'Body', 'ten minutes of work')
  await page.getByRole('button', { name: 'New jot' }).click()
  await page.getByRole('textbox', { name: /^Title/ }).fill('jot three')
  await page.getByRole('textbox', { name: /^Body/ }).fill('an hour of work')
  await page.getByRole('button', { name: /^Create/ }).click()
  await expect(mina.chip).toHaveAccessibleName('Sync: Offline · 2 waiting')
  await admin.execute(sql`alter table public.jots drop column body`)
  await mina.goOnline()
  await expect(mina.chip).toHaveAccessibleName('Sync: 2 need attention')

  await page.goto(`${mina.home}/sync?tab=attention`)
  const card = (title: string) => page.getByRole('article', { name: new RegExp(title) })
  await expect(card('jot one').getByRole('row', { name: /^Body ten minutes of work/ })).toBeVisible()
  await expect(card('jot three').getByRole('row', { name: /^Body an hour of work/ })).toBeVisible()
  await expectAccessible(page, 'changes of a column that is gone')
  await card('jot three').getByRole('button', { name: 'Send without Body' }).click()
  await expect
    .poll(() => admin.query(sql`select title from public.jots where title = 'jot three'`))
    .toEqual([{ title: 'jot three' }])
  await expect(mina.chip).toHaveAccessibleName('Sync: 1 needs attention')
})
