import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { expectSynced } from './support/person.ts'

const PICTURES = 'test-results/screens'

/** Each width in one theme of its own, the widest in both. */
async function look(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [390, 'dark'],
    [1024, 'light'],
    [1440, 'dark'],
    [1440, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page, `${name}, ${width}, ${colorScheme}`)
    await expectNoSidewaysScroll(page, `${name}, ${width}`)
    await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, animations: 'disabled' })
  }
}

test('home shows what is late, what others did to it, favourites and what is near, off line too', async ({
  arrive,
  holdfast,
}) => {
  const titles = ['Home: long overdue', 'Home: dropped long ago', 'Home: due today']
  const [late, done, dueThere] = await makeActions(holdfast, titles)
  if (!late || !done || !dueThere) throw new Error('three actions were made')
  await holdfast.admin.execute(sql`
    update public.actions set due_on = '2001-02-03', owner_id = (select id from public.people where name = 'Dana Okafor')
     where id in (${late.id}, ${done.id})`)
  // Where it is another day than on the clock of this browser, whenever this runs.
  const zone = new Date().getUTCHours() >= 11 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago'
  const dayIn = (timeZone: string): string => new Intl.DateTimeFormat('sv-SE', { timeZone }).format()
  expect(dayIn(zone)).not.toBe(dayIn('Europe/London'))
  await holdfast.admin.execute(sql`
    update public.actions set due_on = ${dayIn(zone)}::date, owner_id = (select id from public.people where name = 'Dana Okafor')
     where id = ${dueThere.id}`)
  await holdfast.admin.execute(sql`update public.actions set state = 'dropped' where id = ${done.id}`)
  const mina = await holdfast.supabase({ email: 'mina.kaya@northline.example' })
  expect((await mina.from('actions').update({ priority: 1 }).eq('id', late.id)).error).toBeNull()

  const dana = await arrive('dana', { viewport: { width: 1440, height: 900 } })
  const { page, home } = dana
  const overdue = page.getByRole('region', { name: 'My work' }).getByRole('link', { name: /^Home: long overdue/ })
  const others = page.getByRole('region', { name: 'What others did on my records' })
  await test.step('work and changes of others are there, finished work is not', async () => {
    await expect(overdue).toContainText('days late')
    await expect(page.getByRole('link', { name: /^Home: dropped long ago/ })).toHaveCount(0)
    await expect(others.getByRole('link', { name: /Home: long overdue.*Mina Kaya changed Priority/ })).toBeVisible()
  })

  await test.step('what is near is asked for by the person', async () => {
    const [site] = await (
      await dana.supabase()
    )
      .from('sites')
      .select('name, lat, lon')
      .limit(1)
      .then(({ data }) => data ?? [])
    const near = page.getByRole('region', { name: 'Near me' })
    await near.getByRole('button', { name: 'Show what is near' }).click()
    await expect(near.getByRole('status')).toContainText('This browser may not tell where you are')
    await page.context().grantPermissions(['geolocation'])
    await page.context().setGeolocation({ latitude: Number(site?.['lat']), longitude: Number(site?.['lon']) })
    await near.getByRole('button', { name: 'Show what is near' }).click()
    const sites = near.getByRole('list', { name: 'Sites' })
    await expect(sites.getByRole('listitem')).toHaveCount(5)
    await expect(sites.getByRole('link').first()).toContainText(String(site?.['name']))
  })

  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await dana.goOffline()
  const favourites = page.getByRole('region', { name: 'Favourites' })
  await test.step('a record becomes a favourite off line', async () => {
    await page.goto(`${home}/t/actions/r/${late.id}`)
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    await expect(page.getByRole('button', { name: 'Remove from favourites' })).toBeVisible()
    await page.goto(home)
    await expect(favourites.getByRole('link', { name: /^Home: long overdue/ })).toBeVisible()
    await expect(overdue).toBeVisible()
    await look(page, 'home')
    await others.getByRole('link', { name: /Home: long overdue.*Mina Kaya/ }).click()
    await expect(page.getByRole('article', { name: /^Change by Mina Kaya/ })).toBeVisible()
  })

  await test.step('it reaches the server, and is taken back', async () => {
    await dana.goOnline()
    await expectSynced(dana)
    const stored = (): Promise<readonly object[]> =>
      holdfast.admin.query(sql`select kind, table_name from holdfast.favourites where target_id = ${late.id}`)
    expect(await stored()).toEqual([{ kind: 'record', table_name: 'actions' }])
    await page.getByRole('button', { name: 'Remove from favourites' }).click()
    await expect.poll(stored).toEqual([])
    await page.goto(home)
    await expect(overdue).toBeVisible()
    await expect(favourites.getByRole('link', { name: /^Home: long overdue/ })).toHaveCount(0)
  })

  await test.step('a day begins when it does in the workspace, whose zone an owner sets off line', async () => {
    const dueToday = page
      .getByRole('region', { name: 'My work' })
      .getByRole('list', { name: 'Today' })
      .getByRole('link', { name: /^Home: due today/ })
    await expect(dueToday, 'it is another day at the browser').toHaveCount(0)
    try {
      await page.goto('/account/workspace')
      const zones = page.getByRole('button', { name: /Time zone/ })
      await expect(zones).toContainText('Europe/London')
      await dana.goOffline()
      await zones.click()
      await page.getByRole('option', { name: zone.replace('_', ' '), exact: true }).click()
      await expect(zones).toContainText(zone.replace('_', ' '))
      await page.goto(home)
      await expect(dueToday).toBeVisible()
      await expect(overdue).toContainText('days late')
      await dana.goOnline()
      await expectSynced(dana)
      expect(await holdfast.admin.query(sql`select time_zone from holdfast.workspaces`)).toEqual([{ time_zone: zone }])
    } finally {
      await holdfast.admin.execute(sql`update holdfast.workspaces set time_zone = 'Europe/London'`)
    }
  })
})

test('home shows whose work is late among all that a person sees, and how many records a view has', async ({
  arrive,
  holdfast,
}) => {
  const { page } = await arrive('ruth', { viewport: { width: 1440, height: 900 } })
  await expect(page.getByText('Nothing is waiting for you this week')).toBeVisible()
  const [late] = await holdfast.admin.query<{ readonly actions: number; readonly all: number }>(sql`
    with work as (select 'actions' as what, due_on as day, state::text from public.actions
                  union all select 'inspections', scheduled_on, state::text from public.inspections)
    select count(*) filter (where what = 'actions')::integer as actions, count(*)::integer as all from work
     where day < (now() at time zone 'Europe/London')::date
       and state not in ('verified', 'dropped', 'approved', 'cancelled')`)
  const team = page.getByRole('region', { name: 'Team' })
  await expect(team.getByText(`${late?.all.toLocaleString('en') ?? ''} overdue`)).toBeVisible()
  const view = page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: /^Overdue – my region/ })
  await expect(view).toHaveAccessibleName(new RegExp(`${String(late?.actions)} rows$`))
  await expectAccessible(page, 'home with the work of a team')
  await team.getByRole('listitem').getByRole('link').first().click()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('all of my work is a screen of its own, of all days and in steps, off line too', async ({ arrive, holdfast }) => {
  const titles = Array.from({ length: 104 }, (_, index) => `Work: ${String(index)}`)
  const ids = (await makeActions(holdfast, [...titles, 'Work: far away'])).map(({ id }) => id)
  await holdfast.admin.execute(sql`
    update public.actions set due_on = case when title = 'Work: far away' then date '2099-01-01' else date '2001-01-01' end,
                              owner_id = (select id from public.people where name = 'Mina Kaya')
     where id = any (${ids}::uuid[])`)
  try {
    const mina = await arrive('mina', { viewport: { width: 390, height: 844 } })
    const { page } = mina
    await expectSynced(mina)
    const theirs = await mina.supabase()
    const { count } = await theirs
      .from('actions')
      .select('id, people!owner_id!inner(user_id)', { count: 'exact', head: true })
      .eq('people.user_id', (await theirs.auth.getUser()).data.user?.id ?? '')
      .eq('due_on', '2001-01-01')
    expect(count, 'as Postgres shows them').toBe(104)
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await mina.goOffline()

    await page.getByRole('link', { name: /^All \d+: Overdue$/ }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'My work' })).toBeVisible()
    const overdue = page.getByRole('list', { name: 'Overdue' }).getByRole('listitem')
    await expect(overdue).toHaveCount(100)
    await page.getByRole('button', { name: 'Show more' }).click()
    const told = await page.getByRole('tab', { name: /^Overdue/ }).textContent()
    await expect(overdue).toHaveCount(Number(told?.replace('Overdue', '')))
    await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0)
    await expect(page.getByRole('link', { name: /^Work: far away/ })).toHaveCount(0)

    await page.getByRole('tab', { name: /^All/ }).click()
    await expect(page).toHaveURL(/\/my-work\?when=all$/)
    await page.getByRole('button', { name: 'Show more' }).click()
    await page
      .getByRole('list', { name: 'Later' })
      .getByRole('link', { name: /^Work: far away/ })
      .click()
    await expect(page.getByRole('heading', { level: 1, name: 'Work: far away' })).toBeVisible()
    await page.goBack()
    await expect(page.getByRole('tab', { name: /^All/ })).toHaveAttribute('aria-selected', 'true')
    await look(page, 'my-work')
  } finally {
    await holdfast.admin.execute(sql`delete from public.actions where id = any (${ids}::uuid[])`)
  }
})
