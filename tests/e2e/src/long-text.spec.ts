import { sql } from '@holdfast/postgres'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessibility.ts'
import { makeActions, ROOMY_FIELDS } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'
import { readDevice } from './support/local-device.ts'
import { expectSynced } from './support/person.ts'

const PICTURES = 'test-results/screens'
const BASE = 'Pump: check\nValve: check\nHatch: check\nLadder: check\nLamp: check'

test('a text that two people write keeps the lines of both, and where they wrote the same line the person chooses', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Text: two writers'])
  if (!action) throw new Error('an action was made')
  const write = (detail: string): Promise<unknown> =>
    holdfast.admin.execute(sql`update public.actions set detail = ${detail} where id = ${action.id}`)
  const stored = async (): Promise<unknown> =>
    (await holdfast.admin.query<{ detail: string }>(sql`select detail from public.actions where id = ${action.id}`))[0]
      ?.detail
  await write(BASE)
  const dana = await arrive('dana', { viewport: { width: 1440, height: 900 } })
  const { page, home } = dana
  const detail = page.getByRole('textbox', { name: 'Detail' })
  const editor = page.getByRole('textbox', { name: 'Edit Detail' })
  const local = async (): Promise<unknown> =>
    (await readDevice(page, 'select detail from actions where id = ?', [action.id])).rows[0]?.['detail']
  const record = `${home}/t/actions/r/${action.id}`
  await page.goto(record)
  await expect(detail).toHaveValue(BASE)

  await test.step('off line, in different lines: merged', async () => {
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await dana.goOffline()
    await detail.fill(BASE.replace('Pump: check', 'Pump: leaks'))
    await page.getByRole('textbox', { name: 'Title' }).focus()
    await expect(dana.chip).toHaveAccessibleName('Sync: Offline · 1 waiting')
    await write(`${BASE}\nRope: missing`)
    await dana.goOnline()
    const both = `${BASE.replace('Pump: check', 'Pump: leaks')}\nRope: missing`
    await expect.poll(stored).toBe(both)
    await expect(detail).toHaveValue(both)
    await expectSynced(dana)
  })

  await test.step('while it is typed, in the same line: nothing is saved before the person chooses', async () => {
    await write(BASE)
    await expect(detail).toHaveValue(BASE)
    await detail.fill(BASE.replace('Hatch: check', 'Hatch: stuck'))
    await write(BASE.replace('Hatch: check', 'Hatch: open'))
    await expect.poll(local).toContain('Hatch: open')
    await page.getByRole('textbox', { name: 'Title' }).focus()
    const question = page.getByRole('alert').filter({ hasText: 'Someone changed these lines' })
    await expect(question).toContainText('Hatch: stuck')
    await expect(question).toContainText('Hatch: open')
    await expectAccessible(page, 'a text in conflict')
    await question.getByRole('button', { name: 'Keep both' }).click()
    await expect.poll(stored).toBe(BASE.replace('Hatch: check', 'Hatch: open\nHatch: stuck'))
    await expectSynced(dana)
  })

  await test.step('off line, in the same line: both versions are kept, beside each other', async () => {
    await write(BASE)
    await expect(detail).toHaveValue(BASE)
    await dana.goOffline()
    await detail.fill(BASE.replace('Lamp: check', 'Lamp: dark'))
    await page.getByRole('textbox', { name: 'Title' }).focus()
    await expect(dana.chip).toHaveAccessibleName('Sync: Offline · 1 waiting')
    await write(BASE.replace('Lamp: check', 'Lamp: broken'))
    await dana.goOnline()
    await expect(dana.chip).toHaveAccessibleName('Sync: 1 needs attention')
    expect(await stored()).toBe(BASE.replace('Lamp: check', 'Lamp: broken'))
    await page.getByRole('link', { name: 'Decide in the Sync centre' }).click()
    const card = page.getByRole('article', { name: 'Not accepted: action Text: two writers' })
    const text = card.getByRole('region', { name: 'Detail' })
    await expect(text.getByRole('group', { name: /^Yours/ })).toContainText('Lamp: dark')
    await expect(text.getByRole('group', { name: 'On the server now' })).toContainText('Lamp: broken')
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [1024, 'dark'],
      [390, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page, `texts in conflict, ${width}`)
      await expectNoSidewaysScroll(page, `texts in conflict, ${width}`)
      await page.screenshot({ path: `${PICTURES}/text-conflict-${width}.png`, animations: 'disabled' })
    }
    await card.getByRole('button', { name: 'Keep both' }).click()
    await expect.poll(stored).toBe(BASE.replace('Lamp: check', 'Lamp: broken\nLamp: dark'))
    await expectSynced(dana)
  })

  await test.step('in a cell, in different lines: merged, though another record comes above it', async () => {
    await page.setViewportSize({ width: 1440, height: 900 })
    await write(BASE)
    const others = ROOMY_FIELDS.filter((field) => field !== 'detail')
    await page.goto(`${home}/t/actions?q=${encodeURIComponent('Text: ')}&s=title&h=${others.join(',')}`)
    const row = gridOf(page).row('Text: two writers')
    await expect(row.getByRole('gridcell', { name: /^Detail: .*Lamp: check/s })).toBeVisible()
    await row.getByRole('gridcell', { name: /^Detail: / }).dblclick()
    await editor.fill(BASE.replace('Valve: check', 'Valve: drips'))
    await makeActions(holdfast, ['Text: another'])
    await expect(gridOf(page).row('Text: another')).toBeVisible()
    await expect(editor).toHaveValue(BASE.replace('Valve: check', 'Valve: drips'))
    await expect(editor).toBeFocused()
    await write(`${BASE}\nRope: missing`)
    await expect.poll(local).toContain('Rope')
    await expect(row.getByRole('gridcell', { name: /^Detail: .*Rope/s })).toBeVisible()
    await editor.press('Enter')
    await expect.poll(stored).toBe(`${BASE.replace('Valve: check', 'Valve: drips')}\nRope: missing`)
    await expectSynced(dana)
  })

  await test.step('in a cell, in the same line: nothing is saved before the person chooses', async () => {
    await write(BASE)
    const cell = gridOf(page).cell('Text: two writers', 'Detail')
    await expect(cell).toHaveAccessibleName(/Valve: check.*Lamp: check$/s)
    await cell.dblclick()
    await editor.fill(BASE.replace('Lamp: check', 'Lamp: dark'))
    await write(BASE.replace('Lamp: check', 'Lamp: broken'))
    await expect(cell).toHaveAccessibleName(/Lamp: broken$/s)
    // A press elsewhere ends an edit, but for this one.
    await gridOf(page).cell('Text: another', 'Title').click()
    const question = page.getByRole('alertdialog', { name: 'Someone changed these lines while you were writing' })
    await expect(question.getByRole('group', { name: 'Yours' })).toContainText('Lamp: dark')
    await expect(question.getByRole('group', { name: 'Theirs' })).toContainText('Lamp: broken')
    await expectAccessible(page, 'texts in conflict in a cell')
    await page.screenshot({ path: `${PICTURES}/text-conflict-cell.png`, animations: 'disabled' })
    expect(await stored()).toBe(BASE.replace('Lamp: check', 'Lamp: broken'))
    await question.getByRole('button', { name: 'Keep both' }).click()
    await expect.poll(stored).toBe(BASE.replace('Lamp: check', 'Lamp: broken\nLamp: dark'))
    await expect(editor).toBeHidden()
    await expectSynced(dana)
  })
})

test('a title that two people write is not overwritten: the record shows both versions until the later one chooses', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Title: seen by both'])
  if (!action) throw new Error('an action was made')
  const write = (title: string): Promise<unknown> =>
    holdfast.admin.execute(sql`update public.actions set title = ${title} where id = ${action.id}`)
  const stored = async (): Promise<unknown> =>
    (await holdfast.admin.query<{ title: string }>(sql`select title from public.actions where id = ${action.id}`))[0]
      ?.title
  const dana = await arrive('dana', { viewport: { width: 1440, height: 900 } })
  const { page, home } = dana
  const title = page.getByRole('textbox', { name: 'Title' })
  await page.goto(`${home}/t/actions/r/${action.id}`)
  await expect(title).toHaveValue('Title: seen by both')
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  await dana.goOffline()
  await title.fill('Title: mine')
  await title.press('Enter')
  await expect(dana.chip).toHaveAccessibleName('Sync: Offline · 1 waiting')
  await write('Title: theirs')
  await dana.goOnline()
  await expect(dana.chip).toHaveAccessibleName('Sync: 1 needs attention')
  expect(await stored()).toBe('Title: theirs')
  await page.reload()
  const question = page.getByRole('alert').filter({ hasText: 'Title: theirs' })
  await expect(question.getByRole('group', { name: /^Yours/ })).toContainText('Title: mine')
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page, `titles in conflict, ${width}`)
    await expectNoSidewaysScroll(page, `titles in conflict, ${width}`)
    await page.screenshot({ path: `${PICTURES}/title-conflict-${width}.png`, animations: 'disabled' })
  }
  await question.getByRole('button', { name: 'Keep both' }).click()
  await expect.poll(stored).toBe('Title: theirs / Title: mine')
  await expect(question).toBeHidden()
  await expectSynced(dana)
})

test('the lines of a short text stay when it is edited in its record', async ({ arrive, holdfast }) => {
  const [action] = await makeActions(holdfast, ['Text: short'])
  if (!action) throw new Error('an action was made')
  const lines = 'Text: 12 Mill Lane\nLeeds'
  await holdfast.admin.execute(sql`update public.actions set title = ${lines} where id = ${action.id}`)
  const { page, home } = await arrive('dana', { viewport: { width: 1440, height: 900 } })
  await page.goto(`${home}/t/actions/r/${action.id}`)
  const title = page.getByRole('textbox', { name: 'Title' })
  await expect(title).toHaveValue(lines)
  await expect(title).toBeEnabled()
  await title.press('ControlOrMeta+End')
  await title.pressSequentially(', UK')
  await page.getByRole('textbox', { name: 'Detail' }).focus()
  const stored = async (): Promise<unknown> =>
    (await holdfast.admin.query<{ title: string }>(sql`select title from public.actions where id = ${action.id}`))[0]
      ?.title
  await expect.poll(stored).toBe(`${lines}, UK`)
})
