import type { Page } from '@playwright/test'
import { comeToRest, expectAccessible } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { gridOf } from './support/grid.ts'
import { expectSynced, signIn, type Person } from './support/person.ts'

/** Where pictures of the screens are kept for people to look at, below the tool's output folder. */
const PICTURES = 'test-results/screens'

const DEVICES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const
type Device = keyof typeof DEVICES

test('every screen can be read in the light and in the dark, on a desktop and on a phone', async ({
  arrive,
  holdfast,
}) => {
  test.slow() // a tour of all screens
  const [action] = await makeActions(holdfast, ['Looks: refused'])
  if (!action) throw new Error('an action was made')
  const dana = await arrive('dana', { until: 'signed-out', knowsRules: false })
  const { page, home } = dana
  const become = await openDevices(page)

  /** Looks at the screen that is shown on both devices. @param show - brings up what is not left open by another size of the window */
  const look = async (screen: string, show?: (device: Device) => Promise<void>): Promise<void> => {
    for (const device of ['desktop', 'phone'] as const) {
      await become(device)
      await show?.(device)
      await lookAt(page, `${device}-${screen}`)
      if (show) await page.keyboard.press('Escape')
    }
    await become('desktop')
  }

  await page.goto('/sign-in')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await look('sign-in')
  await signIn(page, dana.email)
  await expectSynced(dana)
  await look('home')

  await page.goto(`${home}/t/actions?s=-due_on`)
  const rows = { desktop: gridOf(page).grid, phone: page.getByRole('list', { name: 'Actions, list' }) }
  await look('table', async (device) => {
    await expect(rows[device]).toBeVisible()
    // Which states come first depends on the journeys before this one.
    await expect(page.getByText(/^(Open|Doing|Blocked|To verify|Verified|Dropped)$/).first()).toBeVisible()
  })
  await look('filter', async () => {
    await page.getByRole('button', { name: /^Filter/ }).click()
    await page.getByRole('button', { name: 'Add a condition' }).click()
  })

  await page.goto(`${home}/t/actions?record=${action.id}`)
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeVisible()
  await look('record-panel')
  await page.goto(`${home}/t/actions/r/${action.id}`)
  await expect(page.getByRole('heading', { level: 1, name: action.title })).toBeVisible()
  await look('record')

  await refuse(dana)
  await expect(page.getByText('The server did not accept your change')).toBeVisible()
  await look('record-refused')
  await page.goto(`${home}/sync?tab=attention`)
  await expect(page.getByRole('article')).toBeVisible()
  await look('attention')
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
  await look('account-menu', async () => {
    await page.getByRole('button', { name: `Account of ${dana.name}`, exact: true }).click()
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible()
  })
  await look('palette', async () => {
    await page.keyboard.press('Control+k')
    await expect(page.getByRole('menuitem', { name: /^Actions/ })).toBeVisible()
  })
})

/** Makes the page's device a phone with a touch screen, or a desktop, as the options of a browser's context do. */
async function openDevices(page: Page): Promise<(device: Device) => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  return async (device) => {
    const isPhone = device === 'phone'
    await page.setViewportSize(DEVICES[device])
    await session.send('Emulation.setDeviceMetricsOverride', {
      ...DEVICES[device],
      deviceScaleFactor: 1,
      mobile: isPhone,
    })
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone })
  }
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

/** Makes a change of the open record that the server refuses: an open action does not become verified at once. */
async function refuse(person: Person): Promise<void> {
  const { page } = person
  await page.getByRole('button', { name: /State/ }).click()
  await page.getByRole('option', { name: 'Verified' }).click()
  await expect(person.chip).toHaveAccessibleName('Sync: 1 needs attention')
}
