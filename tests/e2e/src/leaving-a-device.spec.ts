import type { Page } from '@playwright/test'
import { SAMPLE_PASSWORD } from '@holdfast/test-support'
import { makeActions } from './support/actions.ts'
import { lookAt } from './support/entry.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { placesWith } from './support/kept-bytes.ts'
import type { Person } from './support/person.ts'

async function askToSignOut(page: Page, name: string): Promise<ReturnType<Page['getByRole']>> {
  await page.getByRole('button', { name: `Account of ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  return page.getByRole('alertdialog', { name: 'Sign out' })
}

/** Opens the actions of a test, and writes one that is not sent. */
async function workOffline(person: Person, number: string, text: string): Promise<void> {
  await person.goOffline()
  await gridOf(person.page).type(number, 'Title', text)
  await expect(person.chip).toHaveAccessibleName('Sync: Offline · 1 waiting')
}

test('a user who removes their data leaves none of it in the browser, and is asked before unsent work is lost', async ({
  arrive,
  holdfast,
}) => {
  const marker = `marker${crypto.randomUUID().replaceAll('-', '')}`
  const [action] = await makeActions(holdfast, [`Leaving: ${marker}`])
  if (!action) throw new Error('an action was made')
  const sam = await arrive('sam', { device: 'new' })
  const { page } = sam
  await sam.openTable('actions', actionsThat('Leaving:'))
  await expect(gridOf(page).row('Leaving:')).toHaveCount(1)
  const other = await sam.newTab()
  await other.goto(page.url())
  await expect(gridOf(other).row('Leaving:')).toHaveCount(1)
  await workOffline(sam, action.number, `Leaving: ${marker} not sent`)

  await test.step('with the tick nothing is kept: it is sent first, or its loss is confirmed', async () => {
    const dialog = await askToSignOut(page, 'Sam Reyes')
    await expect(dialog.getByRole('button', { name: 'Lock and sign out' })).toBeVisible()
    await dialog.getByText('Remove my data from this device').click()
    await expect(dialog.getByRole('button', { name: 'Lock and sign out' })).toHaveCount(0)
    await lookAt(page, 'sign-out-unsent')
    await dialog.getByRole('button', { name: 'Delete unsent work and sign out' }).click()
    const confirmation = page.getByRole('alertdialog', { name: 'Delete your unsent work?' })
    await expect(confirmation).toContainText('1 change that was not sent')
    await lookAt(page, 'sign-out-loses-work')
    await confirmation.getByRole('button', { name: 'Back' }).click()
    await expect(dialog).toBeVisible()
  })

  expect(await placesWith(page, marker)).toContainEqual(expect.stringMatching(/^file \/holdfast-.*\.db$/))
  await page.getByRole('button', { name: 'Delete unsent work and sign out' }).click()
  await page.getByRole('button', { name: 'Delete and sign out' }).click()
  await expect(page).toHaveURL(/\/sign-in/)
  await expect(other).toHaveURL(/\/sign-in/)
  await sam.goOnline()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
  expect(await placesWith(page, marker)).toEqual([])
  // The settings of a server with the sample name its accounts.
  expect(await placesWith(page, sam.email)).toEqual(['localStorage hf-config'])
  await expect(page.getByRole('region', { name: 'On this device' })).toHaveCount(0)
})

test('data that another tab holds is emptied, and removed when that tab has let go of it', async ({
  arrive,
  holdfast,
}) => {
  const marker = `marker${crypto.randomUUID().replaceAll('-', '')}`
  const [action] = await makeActions(holdfast, [`Frozen: ${marker}`])
  if (!action) throw new Error('an action was made')
  const mina = await arrive('mina', { device: 'new' })
  const { page } = mina
  await mina.openTable('actions', actionsThat('Frozen:'))
  await expect(gridOf(page).row('Frozen:')).toHaveCount(1)
  // A tab that the browser has frozen keeps its lock and hears nothing.
  const frozen = await mina.newTab()
  mina.problems.expect(/^Applying inline style|favicon\.ico/) // a picture as a page
  await frozen.goto('/icon-192.png')
  await frozen.evaluate(async () => {
    const { held = [] } = await navigator.locks.query()
    const name = held.map((lock) => lock.name).find((lock) => lock?.startsWith('holdfast-use-'))
    if (name === undefined) throw new Error('the database is open in the other tab')
    const { promise: taken, resolve } = Promise.withResolvers<void>()
    void navigator.locks.request(name, { mode: 'shared' }, () => {
      resolve()
      return new Promise(() => undefined)
    })
    await taken
  })

  const dialog = await askToSignOut(page, 'Mina Kaya')
  await dialog.getByText('Remove my data from this device').click()
  await dialog.getByRole('button', { name: 'Sign out and remove' }).click()
  await expect(page).toHaveURL(/\/sign-in/)
  const notice = page.getByRole('alert').filter({ hasText: 'Not everything could be removed from this device' })
  await expect(notice).toContainText(mina.email)
  await lookAt(page, 'data-remains')
  expect(await placesWith(page, marker)).toEqual([])
  await notice.getByRole('button', { name: 'Try again' }).click()
  await expect(notice).toBeVisible()
  // Once the tab is gone, the next start removes it.
  await frozen.close()
  await page.reload()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toBeVisible()
  await expect(notice).toHaveCount(0)
  const files = (): Promise<readonly string[]> =>
    page.evaluate(async () => {
      const names: string[] = []
      for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name)
      return names.filter((name) => name.endsWith('.db'))
    })
  expect(await files()).toEqual([])
})

test('a signed-out account leaves nothing readable, opens offline with its password only, and keeps its work', async ({
  arrive,
  holdfast,
}) => {
  const marker = `marker${crypto.randomUUID().replaceAll('-', '')}`
  const [action] = await makeActions(holdfast, [`Signed out: ${marker}`])
  if (!action) throw new Error('an action was made')
  const dana = await arrive('dana', { device: 'new' })
  const { page } = dana
  await dana.openTable('actions', actionsThat('Signed out:'))
  await expect(gridOf(page).row('Signed out:')).toHaveCount(1)
  expect(await placesWith(page, marker)).not.toEqual([])
  const locks = (): Promise<number> =>
    page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('holdfast-lock-')).length)
  await expect.poll(locks).toBe(1)
  await workOffline(dana, action.number, `Signed out: ${marker} not sent`)
  await (await askToSignOut(page, 'Dana Okafor')).getByRole('button', { name: 'Lock and sign out' }).click()
  const account = page.getByRole('region', { name: 'On this device' }).getByRole('listitem')
  await expect(account).toContainText('Dana Okafor')
  await expect(account).toContainText('1 waiting')
  await expect(account).toContainText('Locked')
  expect(await placesWith(page, marker)).toEqual([])
  await expect(page.getByRole('button', { name: /^Open/ })).toHaveCount(0)
  await lookAt(page, 'signed-out-account')
  await page.goto(`${dana.home}/t/actions`)
  await expect(page).toHaveURL(/\/sign-in/)

  await account.getByRole('button', { name: 'Unlock the account of Dana Okafor' }).click()
  await expect(page.getByRole('textbox', { name: 'E-mail' })).toHaveValue(dana.email)
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByText('This is not the password that you last signed in with here')).toBeVisible()
  await lookAt(page, 'unlock-offline')
  expect(await placesWith(page, marker)).toEqual([])
  await page.getByRole('textbox', { name: 'Password' }).fill(SAMPLE_PASSWORD)
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page).not.toHaveURL(/\/sign-in/)
  await dana.openTable('actions', actionsThat('Signed out:'))
  await expect(gridOf(page).row('not sent')).toHaveCount(1)
})
