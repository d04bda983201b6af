import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { expect, test as base, type Page } from '@playwright/test'
import { comeToRest, expectAccessible, expectNoSidewaysScroll } from './accessibility.ts'
import { openStranger, type Stranger } from './stranger.ts'

export { expect }

/** Where pictures of the screens are kept for people to look at. */
export const PICTURES = 'test-results/screens'

interface WorkerFixtures {
  /** A server that wants addresses confirmed and lets guests in; it has no sample, for these journeys need no tables. */
  readonly server: Holdfast
}

export const test = base.extend<{ readonly stranger: Stranger }, WorkerFixtures>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- the test tool reads which fixtures are needed from the pattern
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-entry-'))
      const configFile = join(folder, 'holdfast.config.json')
      const settings = {
        emailEnableConfirmations: true,
        enableAnonymousSignIns: true,
        emailMaxFrequency: 0,
        oauthServerEnabled: true,
      }
      await writeFile(configFile, JSON.stringify(settings))
      await using server = await openHoldfast({ args: [`--config-file=${configFile}`] })
      await use(server)
      await rm(folder, { recursive: true })
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  stranger: async ({ browser, server }, use) => {
    await using stranger = await openStranger(browser, server)
    await use(stranger)
    expect(stranger.problems.found, 'console errors and unhandled rejections').toEqual([])
  },
})

/** Opens the link of a mail, and presses the button of the page that it leads to. */
export async function followLink(page: Page, link: string): Promise<void> {
  await page.goto(link)
  await page.getByRole('button', { name: 'Confirm' }).click()
}

/** Inside of the workspace, as this person. */
export async function expectIn(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('button', { name: `Account of ${name}`, exact: true })).toBeVisible()
}

/** The machine's rules, and a picture in both themes and at a phone's width. */
export async function lookAt(page: Page, screen: string): Promise<void> {
  const size = page.viewportSize()
  await expectAccessible(page, screen)
  await comeToRest(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.screenshot({ path: `${PICTURES}/entry-${screen}-${colorScheme}.png` })
  }
  await expectAccessible(page, `${screen} in the dark`)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.screenshot({ path: `${PICTURES}/entry-${screen}-phone-dark.png` })
  await page.emulateMedia({ colorScheme: 'light' })
  await page.screenshot({ path: `${PICTURES}/entry-${screen}-phone-light.png` })
  await expectNoSidewaysScroll(page, `${screen} on a phone`)
  if (size) await page.setViewportSize(size)
}
