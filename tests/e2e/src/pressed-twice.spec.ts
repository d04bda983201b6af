import { sql } from '@holdfast/postgres'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'

/** Its records need no value: each press of *New* makes one at once. */
const JOTTINGS = `
  create table public.jottings (id uuid primary key default gen_random_uuid(), title text);
  alter table public.jottings enable row level security;
  grant select, insert, update, delete on public.jottings to authenticated;
  create policy everyone on public.jottings to authenticated using (true) with check (true);
  insert into public.jottings (title) values ('the first')`

test('a double click makes one record and one copy of a view', async ({ arrive, holdfast }) => {
  await holdfast.admin.execute(sql.trusted(JOTTINGS))
  await holdfast.admin.execute(sql`
    insert into holdfast.views (table_name, name, type, scope, config)
    values ('jottings', 'Jottings: all', 'grid', 'shared', '{}')`)
  const dana = await arrive('dana')
  const { page } = dana
  await dana.openTable('jottings')
  await page.getByRole('button', { name: 'New jotting' }).dblclick()
  await expect(page).toHaveURL(/record=/)
  await expectSynced(dana)
  // What came after the first press would have come with the same upload or before this one.
  await page.getByRole('textbox', { name: 'Title' }).fill('the second')
  await page.getByRole('textbox', { name: 'Title' }).blur()
  const titles = async (): Promise<readonly (string | null)[]> =>
    (await holdfast.admin.query<{ title: string | null }>(sql`select title from public.jottings order by title`)).map(
      ({ title }) => title,
    )
  await expect.poll(titles).toContain('the second')
  expect(await titles()).toEqual(['the first', 'the second'])

  await page.getByRole('button', { name: 'New jotting' }).click()
  await expect.poll(titles).toEqual(['the first', 'the second', null])

  await page.goto(`${dana.home}/t/jottings`)
  await page.getByRole('button', { name: 'View: All jottings' }).click()
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /^Jottings: all/ })
    .click()
  await page.getByRole('button', { name: 'View: Jottings: all' }).click()
  await page.getByRole('button', { name: 'Duplicate' }).dblclick()
  await page.getByRole('button', { name: 'View: Jottings: all (copy)' }).click()
  await expectSynced(dana)
  await expect(page.getByRole('dialog').getByRole('link', { name: /\(copy\)/ })).toHaveCount(1)
})
