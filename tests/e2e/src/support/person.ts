import {
  expect,
  type BrowserContext,
  type BrowserContextOptions,
  type LaunchOptions,
  type Locator,
  type Page,
} from '@playwright/test'
import type { SupabaseClient } from '@supabase/supabase-js'
import { openFaultyLink, SAMPLE_PASSWORD, type FaultyLink, type Holdfast } from '@holdfast/test-support'
import { openProfile } from './browser-profile.ts'
import { watchProblems, type Problems } from './problems.ts'

/** How long a device may take for its first rows, in milliseconds, on a machine that does other things as well. */
const FIRST_SYNC_MS = 120_000

/** A person with a browser of their own and a line to the server of their own. */
export interface Person {
  readonly email: string
  readonly name: string
  readonly context: BrowserContext
  /** The first tab. */
  readonly page: Page
  readonly link: FaultyLink
  readonly problems: Problems
  /** The chip that says how this device stands with the server. */
  readonly chip: Locator
  /** Address of the workspace; other places are below it. */
  readonly home: string
  newTab(): Promise<Page>
  /** The line is cut and the browser says so; without the first the sync in the shared worker would go on. */
  goOffline(): Promise<void>
  goOnline(): Promise<void>
  /** supabase-js, signed in as this person, on the server's own address. */
  supabase(): Promise<SupabaseClient>
  /** Goes to a table and waits for its grid. */
  openTable(table: string, search?: string): Promise<void>
}

export interface PersonOptions extends Pick<
  BrowserContextOptions,
  'viewport' | 'colorScheme' | 'hasTouch' | 'isMobile' | 'locale' | 'serviceWorkers'
> {
  /** `signed-out`: the browser is opened and nothing else. Default: signed in, the first rows are there, and the app is on the device. */
  readonly until?: 'signed-out' | 'signed-in' | 'synced'
  /** The server tells this device nothing of the rules for writing, as one does that cannot: what they forbid is offered, and comes back. */
  readonly knowsRules?: boolean
  /** The server's address, where there is something before it. */
  readonly through?: string
}

const NO_RULES = { version: '', tables: {}, facts: {} }

export const ACCOUNTS = {
  dana: { email: 'dana.okafor@northline.example', name: 'Dana Okafor' },
  mina: { email: 'mina.kaya@northline.example', name: 'Mina Kaya' },
  sam: { email: 'sam.reyes@northline.example', name: 'Sam Reyes' },
  ruth: { email: 'ruth.adler@northline.example', name: 'Ruth Adler' },
} as const
export type AccountName = keyof typeof ACCOUNTS

/** Opens a browser for a person. */
export async function openPerson(
  launchOptions: LaunchOptions,
  holdfast: Holdfast,
  account: AccountName,
  { until = 'synced', knowsRules = true, through = holdfast.url, ...contextOptions }: PersonOptions = {},
): Promise<Person & AsyncDisposable> {
  const { email, name } = ACCOUNTS[account]
  const link = await openFaultyLink(through)
  const profile = await openProfile(launchOptions, {
    baseURL: link.url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    ...contextOptions,
  })
  const { context, page } = profile
  const problems = watchProblems(context)
  const home = '/w/holdfast'
  let client: SupabaseClient | undefined

  const person: Person = {
    email,
    name,
    context,
    page,
    link,
    problems,
    chip: page.getByRole('button', { name: /^Sync: / }),
    home,
    newTab: () => context.newPage(),
    async goOffline() {
      problems.expectCutLine()
      await context.setOffline(true)
      link.sever()
    },
    async goOnline() {
      link.mend()
      await context.setOffline(false)
    },
    async supabase() {
      client ??= await holdfast.supabase({ email })
      return client
    },
    async openTable(table, search = '') {
      await page.goto(`${home}/t/${table}${search}`)
      await expect(page.getByRole('grid')).toBeVisible({ timeout: FIRST_SYNC_MS })
    },
  }
  try {
    if (!knowsRules) await page.route('**/sync/v1/write-rules', (route) => route.fulfill({ json: NO_RULES }))
    if (until !== 'signed-out') {
      await page.goto('/sign-in')
      await signIn(page, email)
      if (until === 'synced') {
        await expectSynced(person)
        // What is loaded late comes from there when the line is cut.
        await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
      }
    }
  } catch (error) {
    await close()
    throw error
  }
  return { ...person, [Symbol.asyncDispose]: close }

  async function close(): Promise<void> {
    await profile[Symbol.asyncDispose]()
    await link[Symbol.asyncDispose]()
  }
}

/** Signs in with a password, from the screen of all ways or from the form itself. */
export async function signIn(page: Page, email: string, password: string = SAMPLE_PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  const next = page.getByRole('button', { name: 'Continue with password' })
  if (await next.isVisible()) await next.click()
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The first rows are complete, and nothing waits. */
export async function expectSynced(person: Person): Promise<void> {
  await expect(person.chip).toHaveAccessibleName('Sync: Up to date', { timeout: FIRST_SYNC_MS })
}
