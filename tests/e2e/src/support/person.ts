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
import { openProfile, temporaryFolder } from './browser-profile.ts'
import { copyProfile } from './copy-profile.ts'
import { readRows } from './local-device.ts'
import type { MapServer } from './map-server.ts'
import { watchProblems, type Problems } from './problems.ts'

/** Where supabase-js of the app keeps the session. */
const SESSION_KEY = 'holdfast-auth'

/** Where a device keeps the rules for writing, followed by the user's id. */
const RULES_KEY = 'holdfast-write-rules:'

/** How long a device may take for its first rows, in milliseconds, on a machine that does other things as well. */
const FIRST_SYNC_MS = 120_000

/** A person with a browser of their own and a line to the server of their own. */
export interface Person {
  readonly email: string
  readonly name: string
  readonly context: BrowserContext
  /** The first tab. */
  readonly page: Page
  /** Carries what the browser asks the app's address for. Requests that the test itself makes go to its `url`. */
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
  /** `new`: a browser that was never here, a sign-in and a first sync. Default: where nothing else in the options asks for that, a copy of a synced one. */
  readonly device?: 'new'
}

/** What all persons of a test share. */
export interface World {
  readonly launchOptions: LaunchOptions
  readonly holdfast: Holdfast
  readonly maps: MapServer
  /** Folder of the profile of an account that is in sync with the server; none where its devices, or all, are new. */
  readonly profileOf?: (account: AccountName) => string | undefined
}

/** The app's address in every browser, so that a copied profile finds its files: the browser is told that the person's own line is there. */
const APP_URL = 'http://127.0.0.1:54321'

const NO_RULES = { version: '', tables: {}, facts: {} }

export const ACCOUNTS = {
  dana: { email: 'dana.okafor@northline.example', name: 'Dana Okafor' },
  mina: { email: 'mina.kaya@northline.example', name: 'Mina Kaya' },
  sam: { email: 'sam.reyes@northline.example', name: 'Sam Reyes' },
  ruth: { email: 'ruth.adler@northline.example', name: 'Ruth Adler' },
} as const
export type AccountName = keyof typeof ACCOUNTS

/** Opens a browser for a person; unless the options ask for another, on a copy of a device that is in sync. */
export async function openPerson(
  world: World,
  account: AccountName,
  options: PersonOptions = {},
): Promise<Person & AsyncDisposable> {
  await using resources = new AsyncDisposableStack()
  const folder = resources.use(await temporaryFolder()).path
  const profile = needsNewDevice(options) ? undefined : world.profileOf?.(account)
  if (profile !== undefined) await copyProfile(profile, folder)
  const person = resources.use(await openPersonIn(folder, world, account, options))
  if (profile === undefined) await arriveOnNew(person, options.until)
  else await arriveOnSynced(person, world.holdfast, options)
  const opened = resources.move()
  return { ...person, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

function needsNewDevice({ device, until = 'synced', through, serviceWorkers }: PersonOptions): boolean {
  return device === 'new' || until !== 'synced' || through !== undefined || serviceWorkers === 'block'
}

/** Signs in an account on a new device, waits until it is in sync, and leaves its profile in `folder`. */
export async function makeSyncedProfile(folder: string, world: World, account: AccountName): Promise<void> {
  await using person = await openPersonIn(folder, world, account, {})
  await arriveOnNew(person)
}

/**
 * Opens a browser for a person.
 *
 * @param folder - where the browser's profile is and stays
 */
async function openPersonIn(
  folder: string,
  { launchOptions, holdfast, maps }: World,
  account: AccountName,
  { until: _until, device: _device, knowsRules = true, through = holdfast.url, ...contextOptions }: PersonOptions,
): Promise<Person & AsyncDisposable> {
  await using resources = new AsyncDisposableStack()
  const { email, name } = ACCOUNTS[account]
  const link = resources.use(await openFaultyLink(through))
  const addresses = [
    [APP_URL, link.url],
    [maps.url, maps.address],
  ].map(([from = '', to = '']) => `MAP ${new URL(from).host} ${new URL(to).host}`)
  const { context, page } = resources.use(
    await openProfile(
      folder,
      { ...launchOptions, args: [...(launchOptions.args ?? []), `--host-resolver-rules=${addresses.join()}`] },
      {
        baseURL: APP_URL,
        viewport: { width: 1280, height: 800 },
        reducedMotion: 'reduce',
        locale: 'en-GB',
        timezoneId: 'Europe/London',
        ...contextOptions,
      },
    ),
  )
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
  if (!knowsRules) await page.route('**/sync/v1/write-rules', (route) => route.fulfill({ json: NO_RULES }))
  const opened = resources.move()
  return { ...person, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Signs in on a new device and waits for the first rows. */
async function arriveOnNew(person: Person, until: PersonOptions['until'] = 'synced'): Promise<void> {
  if (until === 'signed-out') return
  const { page, email } = person
  await page.goto('/sign-in')
  await signIn(page, email)
  if (until === 'signed-in') return
  await expectSynced(person)
  // Code that is loaded later comes from the service worker when the network is cut.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
}

/** Opens the app on a device that is in sync, with a session of its own: a session that copies shared would end when one of them signs out. */
async function arriveOnSynced(
  person: Person,
  { url, anonKey }: Holdfast,
  { knowsRules = true }: PersonOptions,
): Promise<void> {
  const { page, email, home } = person
  const response = await fetch(`${url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: SAMPLE_PASSWORD }),
  })
  expect(response.status, `sign-in of ${email}`).toBe(200)
  await using _beforeApp = await page.addInitScript(
    ([key, session, forgotten]) => {
      localStorage.setItem(key, session)
      if (forgotten === '') return
      for (const name of Object.keys(localStorage)) if (name.startsWith(forgotten)) localStorage.removeItem(name)
    },
    [SESSION_KEY, await response.text(), knowsRules ? '' : RULES_KEY] as const,
  )
  const startedAtMs = Date.now()
  await page.goto(home)
  await expectSynced(person)
  // The device can be connected before it has its first checkpoint; without that, a test would miss what it wrote before.
  await expect
    .poll(() => lastSyncMs(page), { message: `${email} has a checkpoint of this start` })
    .toBeGreaterThan(startedAtMs)
}

/** When the device last applied a complete checkpoint, in milliseconds since 1970. */
async function lastSyncMs(page: Page): Promise<number> {
  const [row] = await readRows(page, 'select max(last_synced_at) / 1000 as ms from ps_sync_state')
  return Number(row?.['ms'])
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
