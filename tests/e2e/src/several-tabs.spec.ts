import type { BrowserContext, Page, Response } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { expectSynced } from './support/person.ts'
import { makeFinding, picker, takePicture, tiles } from './support/photos.ts'

test('four tabs of one person show each other’s edits, go on when one is closed, and sign out together', async ({
  arrive,
  holdfast,
}) => {
  const [first, second] = await makeActions(holdfast, ['Tabs: first', 'Tabs: second'])
  if (!first || !second) throw new Error('two actions were made')
  const dana = await arrive('dana')
  await dana.openTable('actions', actionsThat('Tabs:'))
  const tab = await dana.newTab()
  await tab.goto(dana.page.url())
  const [left, right] = [gridOf(dana.page), gridOf(tab)]
  await expect(left.row('Tabs:')).toHaveCount(2)
  await expect(right.row('Tabs:')).toHaveCount(2)

  // The browser draws tabs behind another one once a second.
  await dana.page.bringToFront()
  await left.type(first.number, 'Title', 'Tabs: from the left')
  await right.expectCell(first.number, 'Title', 'Tabs: from the left')
  await tab.bringToFront()
  await right.type(second.number, 'Title', 'Tabs: from the right')
  await left.expectCell(second.number, 'Title', 'Tabs: from the right')

  const others = await test.step('so do two more', async () => {
    const more = [await dana.newTab(), await dana.newTab()]
    for (const [place, page] of more.entries()) {
      await page.goto(tab.url())
      const hours = 5 + place
      // The column has two decimals: every tab shows them before the server has answered and after.
      await gridOf(page).type(second.number, 'Estimated hours', String(hours), hours.toFixed(2))
      for (const grid of [left, right]) await grid.expectCell(second.number, 'Estimated hours', hours.toFixed(2))
    }
    return more
  })

  await test.step('the tabs that stay send and receive when the first one is closed', async () => {
    await tab.bringToFront()
    await dana.page.close()
    await right.type(second.number, 'Title', 'Tabs: from the one that stayed')
    await expect
      .poll(async () => (await storedAction(holdfast, second.id)).title)
      .toBe('Tabs: from the one that stayed')
    const supabase = await dana.supabase()
    const { error } = await supabase.from('actions').update({ title: 'Tabs: from elsewhere' }).eq('id', first.id)
    expect(error).toBeNull()
    for (const page of [tab, ...others]) await gridOf(page).expectCell(first.number, 'Title', 'Tabs: from elsewhere')
  })

  await tab.reload()
  await right.expectCell(first.number, 'Title', 'Tabs: from elsewhere')
  await right.expectCell(second.number, 'Title', 'Tabs: from the one that stayed')
  const inTab = { ...dana, page: tab, chip: tab.getByRole('button', { name: /^Sync: / }) }
  await expectSynced(inTab)
  await expectConvergence(inTab, ['actions'])

  await test.step('signing out in one signs out in all', async () => {
    await tab.getByRole('button', { name: `Account of ${dana.name}`, exact: true }).click()
    await tab.getByRole('menuitem', { name: 'Sign out' }).click()
    await tab.getByRole('alertdialog', { name: 'Sign out' }).getByRole('button', { name: 'Sign out' }).click()
    for (const page of [tab, ...others]) await expect(page).toHaveURL(/\/sign-in/)
  })
})

/** Whether a tab is the one that sends the files of all. */
async function sendsFiles(page: Page): Promise<boolean> {
  return page.evaluate(() =>
    navigator.locks.request('own', async () => {
      const { held = [] } = await navigator.locks.query()
      const own = held.find(({ name }) => name === 'own')?.clientId
      return held.some(({ name, clientId }) => name?.startsWith('holdfast-files') && clientId === own)
    }),
  )
}

/** What the server answers to requests that bring a photo in one piece, or begin to bring it in parts, by the photo's path. */
function watchUploads(context: BrowserContext): ReadonlyMap<string, readonly number[]> {
  const answers = new Map<string, number[]>()
  context.on('response', (response: Response) => {
    const request = response.request()
    if (request.method() !== 'POST') return
    const [, begun = ''] = /objectName ([^,]+)/.exec(request.headers()['upload-metadata'] ?? '') ?? []
    const [, whole] = /\/object\/record-photos\/(.+)/.exec(new URL(response.url()).pathname) ?? []
    const path = whole ?? Buffer.from(begun, 'base64').toString()
    if (path !== '') answers.set(path, [...(answers.get(path) ?? []), response.status()])
  })
  return answers
}

test('photos taken in one tab show in both, and go up once although the tab that sends them is closed', async ({
  arrive,
  holdfast,
}) => {
  const finding = await makeFinding(holdfast, 'Tabs: screen clogged')
  const mina = await arrive('mina')
  const address = `${mina.home}/t/findings/r/${finding.id}`
  await mina.page.goto(address)
  await expect(mina.page.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
  const tab = await mina.newTab()
  await tab.goto(address)
  await expect(tab.getByRole('heading', { level: 1, name: finding.title })).toBeVisible()
  await expect.poll(() => sendsFiles(mina.page)).toBe(true)
  expect(await sendsFiles(tab)).toBe(false)
  const picture = await takePicture(tab)
  const answers = watchUploads(mina.context)

  await test.step('taken in the tab that does not send, they are at once in both', async () => {
    mina.link.limitRate(60_000, 'up')
    await picker(tab).setInputFiles([picture, { ...picture, name: 'IMG_0043.jpg' }])
    for (const page of [tab, mina.page]) {
      await expect(tiles(page)).toHaveCount(2)
      await expect(tiles(page).locator('img')).toHaveCount(2)
    }
  })

  await test.step('both tell of the sending, and the tab that stays goes on with it', async () => {
    mina.problems.expectCutLine()
    mina.problems.expect(/Failed to load resource: .* 4(?:00|09) .*\/(?:object\/record-photos\/|upload\/resumable)/)
    // Some of it is sent, so that it goes on in parts.
    for (const page of [mina.page, tab]) await expect(tiles(page).first()).toHaveAccessibleName(/Sending [1-9]\d* %/)
    await mina.page.close()
    await expect.poll(() => sendsFiles(tab)).toBe(true)
    mina.link.limitRate(0, 'up')
    await expect(tiles(tab).first()).toHaveAccessibleName('Open Photo 1 of 2', { timeout: 60_000 })
    await expect(tiles(tab).nth(1)).toHaveAccessibleName('Open Photo 2 of 2', { timeout: 60_000 })
    await expectSynced({ ...mina, page: tab, chip: tab.getByRole('button', { name: /^Sync: / }) })
  })

  const readStored = async (): Promise<readonly string[]> => {
    const rows = await holdfast.admin.query<{ path: string }>(sql`
      select p.path from public.photos p join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path
       where p.finding_id = ${finding.id} and p.uploaded_at is not null order by p.path`)
    return rows.map(({ path }) => path)
  }
  // The bytes are there before the row says so.
  await expect.poll(readStored).toHaveLength(2)
  const stored = await readStored()
  expect([...answers.keys()].toSorted()).toEqual(stored)
  // After an upload whose answer the closed tab did not get, the next one is refused, and stores nothing.
  for (const statuses of answers.values()) expect(statuses.filter((status) => status < 300).length).toBeLessThan(2)
})
