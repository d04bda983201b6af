import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import type { Locator } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { MAP_COLOURS } from './support/map-server.ts'

interface NewView {
  readonly type: string
  readonly config: Readonly<Record<string, string>>
  readonly table?: string
}

/** Makes a view that everybody has. @returns its id */
async function makeView({ admin }: Holdfast, { type, config, table = 'actions' }: NewView): Promise<string> {
  const [view] = await admin.query<{ id: string }>(sql`
    insert into holdfast.views (table_name, name, type, scope, config)
    values (${table}, ${`Kinds: ${type}`}, ${type}, 'shared', ${JSON.stringify(config)}::jsonb) returning id`)
  if (!view) throw new Error('a view was made')
  return view.id
}

const KINDS = 'all(title.has.Kinds:)'

/** How much of a part of the page has one colour. */
async function shareOf(part: Locator, [red, green, blue]: readonly [number, number, number]): Promise<number> {
  const picture = `data:image/png;base64,${(await part.screenshot()).toString('base64')}`
  return part.page().evaluate(
    async ({ address, colour }) => {
      const image = new Image()
      image.src = address
      await image.decode()
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      if (!context) throw new Error('a canvas has a context')
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, image.width, image.height)
      let found = 0
      for (let at = 0; at < data.length; at += 4) {
        if (colour.every((value, index) => Math.abs(value - (data[at + index] ?? 0)) <= 2)) found++
      }
      return found / (data.length / 4)
    },
    { address: picture, colour: [red, green, blue] },
  )
}

test('a calendar, a gallery, a map and a form show the same records, and change them where a person may', async ({
  arrive,
  holdfast,
  maps,
}) => {
  const [one, two] = await makeActions(holdfast, ['Kinds: one', 'Kinds: two', 'Kinds: three', 'Kinds: four'])
  if (!one || !two) throw new Error('actions were made')
  await holdfast.admin.execute(sql`update public.actions set due_on = '2027-03-10' where title like 'Kinds: %'`)
  const calendar = await makeView(holdfast, {
    type: 'calendar',
    config: { filter: KINDS, sort: 'title', date: 'due_on' },
  })
  const dana = await arrive('dana', { viewport: { width: 1440, height: 900 } })
  const { page } = dana
  const dueOf = async (id: string): Promise<unknown> =>
    (
      await holdfast.admin.query<{ due: string }>(sql`select due_on::text as due from public.actions where id = ${id}`)
    )[0]?.due

  await test.step('a calendar moves a record by key, by day and by dragging', async () => {
    await page.goto(`${dana.home}/t/actions/v/${calendar}?on=2027-03-15`)
    const cell = (day: string): ReturnType<typeof page.locator> => page.locator(`[data-cell="2027-03-${day}"]`)
    await expect(page.getByRole('heading', { name: 'March 2027' })).toBeVisible()
    await expect(cell('10').getByRole('button')).toHaveCount(3)
    await expectAccessible(page, 'a calendar')
    await cell('10').getByRole('button', { name: '2 more records on' }).click()
    await expect(page.getByRole('dialog').getByRole('button', { name: /^Kinds: / })).toHaveCount(4)
    await expectAccessible(page, 'a day of a calendar')
    await page.keyboard.press('Escape')

    await dana.goOffline()
    const first = (day: string): ReturnType<typeof page.locator> =>
      cell(day).getByRole('button', { name: /^Kinds: one/ })
    await cell('10')
      .getByRole('button', { name: /^Kinds: four/ })
      .focus()
    await page.keyboard.press('ArrowDown')
    await expect(first('10')).toBeFocused()
    await page.keyboard.press('Alt+ArrowDown')
    await expect(first('17')).toBeFocused()
    await expect(page.getByText(/^Kinds: one moved to /)).toBeAttached()
    await dana.goOnline()
    await expect.poll(() => dueOf(one.id)).toBe('2027-03-17')

    await page.keyboard.press('m')
    await page.getByLabel('Day', { exact: true }).fill('2027-03-02')
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await expect(first('02')).toBeFocused()
    await first('02').dragTo(cell('25'))
    await expect(first('25')).toBeVisible()
    await expect.poll(() => dueOf(one.id)).toBe('2027-03-25')
  })

  await test.step('a gallery goes from card to card by key, and opens one', async () => {
    const gallery = await makeView(holdfast, { type: 'gallery', config: { filter: KINDS, sort: 'title' } })
    await page.goto(`${dana.home}/t/actions/v/${gallery}`)
    const cards = page.getByRole('list', { name: 'Actions, gallery' })
    await expect(cards.getByRole('button')).toHaveCount(4)
    await expectAccessible(page, 'a gallery')
    await cards.getByRole('button', { name: 'Kinds: four' }).focus()
    await page.keyboard.press('ArrowRight')
    await expect(cards.getByRole('button', { name: 'Kinds: one' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Kinds: one')
    await page.keyboard.press('Escape')
  })

  await test.step('a map counts what is near to each other, comes nearer, and opens a record', async () => {
    const map = await makeView(holdfast, { type: 'map', table: 'sites', config: { sort: 'name' } })
    maps.setSilent(true)
    await page.goto(`${dana.home}/t/sites/v/${map}`)
    const area = page.getByRole('application', { name: 'Sites, map' })
    await expect(area.locator('[data-spot]').first()).toBeVisible()
    await expectAccessible(page, 'a map')
    for (let steps = 0; steps < 4; steps++) await page.getByRole('button', { name: 'Zoom out' }).click()
    await expect(area.locator('[data-land] path').first()).toBeAttached()
    await page.getByRole('button', { name: 'Show all' }).click()
    const shown = (): Promise<number> =>
      area
        .locator('[data-spot]')
        .evaluateAll((spots) => spots.reduce((sum, spot) => sum + Number((spot as HTMLElement).dataset['spot']), 0))
    // Other journeys on this server may have made sites without a position.
    const places = await (
      await dana.supabase()
    )
      .from('sites')
      .select('id', { count: 'exact', head: true })
      .not('lat', 'is', null)
    await expect.poll(shown).toBe(places.count)
    await area.focus()
    for (let press = 0; press < 2; press++) await page.keyboard.press('+')
    await expect.poll(shown).toBeLessThan(places.count ?? 0)
    await page.keyboard.press('0')
    await expect.poll(shown).toBe(places.count)
    const single = area.locator('[data-spot="1"]').first()
    const name = ((await single.getAttribute('aria-label')) ?? '').split(',')[0] ?? ''
    await single.click()
    await expect(page.getByRole('complementary').getByRole('heading', { name })).toBeVisible()
  })

  await test.step('the background of a map comes from the tiles of the operator, and is there off line once seen', async () => {
    const area = page.getByRole('application', { name: 'Sites, map' })
    const note = area.getByRole('status')
    // Its server says nothing: what was done until here was done on the simple ground.
    await expect(note).toHaveText('The map background could not be loaded. Try again')
    maps.setSilent(false)
    await note.getByRole('button', { name: 'Try again' }).click()
    await expect(area.getByRole('link', { name: '© Drawn for a test' })).toBeVisible()
    await expect(note).toBeEmpty()
    await expect.poll(() => shareOf(area, MAP_COLOURS.light)).toBeGreaterThan(0.2)
    await expectAccessible(page, 'a map with a background')

    await dana.goOffline()
    await page.reload()
    await expect(area.locator('[data-spot]').first()).toBeVisible()
    await expect.poll(() => shareOf(area, MAP_COLOURS.light)).toBeGreaterThan(0.2)
    // The dark one was not seen: it is the simple ground, and says so.
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect(note).toHaveText('The map background needs a connection.')
    expect(await shareOf(area, MAP_COLOURS.light)).toBe(0)
    await dana.goOnline()
    await expect.poll(() => shareOf(area, MAP_COLOURS.dark)).toBeGreaterThan(0.2)
    await page.emulateMedia({ colorScheme: 'light' })
  })

  await test.step('a form asks in its own words, keeps what was filled in, and makes records off line', async () => {
    const form = await makeView(holdfast, {
      type: 'form',
      config: { form: 'title.required.What has to be done?,site_id.required,team_id,due_on' },
    })
    await page.goto(`${dana.home}/t/actions/v/${form}`)
    const title = page.getByRole('textbox', { name: 'What has to be done?' })
    await page.getByRole('button', { name: 'Save & next' }).click()
    await expect(page.getByText('Fill in: What has to be done?, Site, Team')).toBeVisible()
    await expect(title).toBeFocused()
    await expectAccessible(page, 'a form')
    const [made] = await holdfast.admin.query<{ site: string; team: string }>(sql`
      select s.name as site, t.name as team from public.actions a
        join public.sites s on s.id = a.site_id join holdfast.teams t on t.id = a.team_id where a.id = ${one.id}`)
    await title.fill('Kinds: from a form')
    await page.getByRole('button', { name: /^Site/ }).click()
    await page.getByRole('searchbox', { name: /Site/ }).fill(made?.site ?? '')
    await page.getByRole('option', { name: made?.site ?? '' }).click()
    await page.getByRole('button', { name: /^Team/ }).click()
    await page.getByRole('searchbox', { name: /Team/ }).fill(made?.team ?? '')
    await page.getByRole('option', { name: made?.team ?? '' }).click()
    await page.reload()
    await expect(title).toHaveValue('Kinds: from a form')
    await dana.goOffline()
    await page.getByRole('button', { name: 'Save & next' }).click()
    await expect(page.getByText('1 saved since you opened the form')).toBeVisible()
    await expect(title).toHaveValue('')
    await dana.goOnline()
    await expect
      .poll(() => holdfast.admin.query(sql`select title from public.actions where title = 'Kinds: from a form'`))
      .toHaveLength(1)
  })
})
