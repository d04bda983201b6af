import type { Page } from '@playwright/test'
import { comeToRest, expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'
import { expectSynced, signIn, type Person } from './support/person.ts'

/** Where pictures of the screens are kept for people to look at, below the tool's output folder. */
const PICTURES = 'test-results/screens'

const DEVICES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const

for (const device of ['desktop', 'phone'] as const) {
  test(`every screen can be read in the light and in the dark on a ${device}`, async ({ arrive, holdfast }) => {
    test.slow() // a tour of all screens
    const [action] = await makeActions(holdfast, [`Looks: refused on a ${device}`])
    if (!action) throw new Error('an action was made')
    const dana = await arrive('dana', { ...DEVICES[device], until: 'signed-out', knowsRules: false })
    const { page, home } = dana
    const look = (screen: string): Promise<void> => lookAt(page, `${device}-${screen}`)

    await page.goto('/sign-in')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await look('sign-in')
    await signIn(page, dana.email)
    await expectSynced(dana)
    await look('home')

    await page.goto(`${home}/t/actions?s=-due_on`)
    await expect(
      device === 'phone' ? page.getByRole('list', { name: 'Actions, list' }) : gridOf(page).grid,
    ).toBeVisible()
    await expect(page.getByText(/^Open$|^Verified$/).first()).toBeVisible()
    await look('table')
    await page.getByRole('button', { name: /^Filter/ }).click()
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await look('filter')
    await page.keyboard.press('Escape')

    await page.goto(`${home}/t/actions?record=${action.id}`)
    await expect(page.getByRole('textbox', { name: 'Title' })).toBeVisible()
    await look('record-panel')
    await page.goto(`${home}/t/actions/r/${action.id}`)
    await expect(page.getByRole('heading', { level: 1, name: action.title })).toBeVisible()
    await look('record')

    await refuse(dana, action.id)
    await page.goto(`${home}/sync?tab=attention`)
    await expect(page.getByRole('article')).toBeVisible()
    await look('attention')
    await page.goto(`${home}/t/actions/r/${action.id}`)
    await expect(page.getByText('The server did not accept your change')).toBeVisible()
    await look('record-refused')
    await page.goto(`${home}/sync?tab=device`)
    await expect(page.getByText('Private files of this browser (OPFS)')).toBeVisible()
    await look('device')
    await page.goto('/account/appearance')
    await expect(page.getByRole('heading', { level: 1, name: 'Appearance' })).toBeVisible()
    await look('appearance')
    await page.goto('/account/shortcuts')
    await expect(page.getByRole('heading', { level: 1, name: 'Keyboard shortcuts' })).toBeVisible()
    await look('shortcuts')
    await page.goto('/nowhere')
    await expect(page.getByRole('heading', { level: 1, name: 'There is nothing at this address' })).toBeAttached()
    await look('not-found')

    await page.goto(home)
    await page.getByRole('button', { name: `Account of ${dana.name}`, exact: true }).click()
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
    await look('account-menu')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('menuitem', { name: /^Actions/ })).toBeVisible()
    await look('palette')
  })
}

/** A picture in both themes; the machine's rules in the dark, because the other journeys hold the light one to them. */
async function lookAt(page: Page, screen: string): Promise<void> {
  await comeToRest(page)
  await page.screenshot({ path: `${PICTURES}/${screen}-light.png` })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: `${PICTURES}/${screen}-dark.png` })
  await expectAccessible(page, `${screen} in the dark`)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Makes a change that the server refuses: an open action does not become verified at once. */
async function refuse(person: Person, id: string): Promise<void> {
  const { page } = person
  await page.goto(`${person.home}/t/actions/r/${id}`)
  await page.getByRole('button', { name: /State/ }).click()
  await page.getByRole('option', { name: 'Verified' }).click()
  await expect(person.chip).toHaveAccessibleName('Sync: 1 needs attention')
}
