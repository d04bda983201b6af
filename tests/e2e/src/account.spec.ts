import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, test as base, type Page, type Route } from '@playwright/test'
import type { Factor } from '@supabase/supabase-js'
import { comeToRest, expectAccessible } from './support/accessibility.ts'
import type { Holdfast } from '@holdfast/test-support'
import { expectIn, lookAt, PICTURES } from './support/entry.ts'
import { openOwnAccount, totp, type OwnAccount } from './support/own-account.ts'
import { signIn } from './support/person.ts'

/** How long a code of an authenticator app lasts. */
const STEP_MS = 30_000

const SETTINGS = {
  enableManualLinking: true,
  enableAnonymousSignIns: true,
  externalGithubEnabled: true,
  externalGithubClientId: 'a-client',
  externalGithubSecret: 'a-secret',
}

interface WorkerFixtures {
  /** A server whose people may link accounts; it has no sample, for these journeys need no tables. */
  readonly server: Holdfast
}

const test = base.extend<{ readonly me: OwnAccount }, WorkerFixtures>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- the test tool reads which fixtures are needed from the pattern
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'holdfast-account-'))
      const configFile = join(folder, 'holdfast.config.json')
      await writeFile(configFile, JSON.stringify(SETTINGS))
      await using server = await openHoldfast({ args: [`--config-file=${configFile}`] })
      await use(server)
      await rm(folder, { recursive: true })
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  me: async ({ browser, server }, use) => {
    await using me = await openOwnAccount(browser, server)
    await use(me)
    expect(me.problems.found, 'console errors and unhandled rejections').toEqual([])
  },
})

test('a second step is added, asked for on another device, and asked for before it is removed', async ({ me }) => {
  const { page } = me
  const chip = page.getByRole('button', { name: /^Sync: / })
  const codeField = page.getByRole('textbox', { name: 'Code from your authenticator app' })
  // An account without recovery codes, wrong codes, and what the server keeps from a session that lacks the second step.
  me.problems.expect(/status of 4\d\d.*\/(factors\/|auth\/v1\/(token|user)|sync\/)/)

  const secret =
    await test.step('an app is added with its code, although a reload broke off the first try', async () => {
      await page.goto('/account/security')
      await expect(page.getByText('You are signed in with one step', { exact: true })).toBeVisible()
      await expectAccessible(page, 'account security')
      await beginAuthenticator(page, 'Work phone')
      await page.reload()
      return beginAuthenticator(page, 'Work phone')
    })
  const nextCode = codesOf(secret)
  await test.step('its code proves it', async () => {
    const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
    const code = dialog.getByRole('textbox', { name: 'Code' })
    await expectAccessible(page, 'dialog with a QR code')
    await code.fill(wrongCode(secret))
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await expect(dialog.getByText('This code is not right.')).toBeVisible()
    await code.fill(nextCode())
    await dialog.getByRole('button', { name: 'Confirm' }).click()
    await expect(dialog).toBeHidden()
    await expect(page.getByRole('list', { name: 'Your second steps' })).toContainText('Work phone')
    await expect(page.getByText('You are signed in with two steps')).toBeVisible()
    expect((await factorsOf(me)).map(({ status }) => status)).toEqual(['verified'])
  })

  await test.step('recovery codes are shown once', async () => {
    await page.getByRole('button', { name: 'Get recovery codes' }).click()
    const codes = page.getByRole('alertdialog', { name: 'Recovery codes' })
    await expect(codes.getByRole('list', { name: 'Your recovery codes' }).getByRole('listitem')).toHaveCount(10)
    await expectAccessible(page, 'recovery codes')
    await codes.getByRole('button', { name: 'I have kept them' }).click()
    await expect(page.getByText('10 of 10 are left')).toBeVisible()
  })

  await test.step('another device has nothing of theirs before the second step', async () => {
    await becomeAnotherDevice(page)
    await page.goto('/account/appearance')
    await signIn(page, me.email, me.password)
    await expect(page).toHaveURL(/\/sign-in\/second-factor/)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Confirm that it is you')
    await expect(page.getByText('Authenticator app · Work phone')).toBeVisible()
    await lookAt(page, 'second-step')
    await expect(page.getByRole('button', { name: 'Open the data on this device' })).toHaveCount(0)
    // Going around it leads back to it.
    await page.goto('/w')
    await expect(page).toHaveURL(/\/sign-in\/second-factor/)
    await codeField.fill(wrongCode(secret))
    await expect(codeField).toHaveAccessibleDescription(/That code did not match/)
    await codeField.fill(nextCode())
    await expectIn(page, 'Noor Haddad')
    await expect(chip).toHaveAccessibleName('Sync: Up to date')
  })

  await test.step('from then on it shows what it has, and sends nothing until the second step is given', async () => {
    await page.evaluate(() => localStorage.removeItem('holdfast-auth'))
    await page.goto('/sign-in')
    await signIn(page, me.email, me.password)
    await expect(page).toHaveURL(/\/sign-in\/second-factor/)
    await page.getByRole('button', { name: 'Open the data on this device' }).click()
    await expectIn(page, 'Noor Haddad')
    await expect(chip).toHaveAccessibleName('Sync: Confirm to sync')
    await lookAt(page, 'second-step-missing')
    await page.reload()
    await page.getByRole('link', { name: 'Confirm', exact: true }).click()
    await expect(codeField).toBeVisible()
  })

  await test.step('removing the second step wants it first, and then the password is enough', async () => {
    await page.goto('/account/security')
    await expect(page.getByText('You are signed in with one of your two steps')).toBeVisible()
    await page.getByRole('button', { name: 'Remove Work phone' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    const stepUp = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await expect(stepUp.getByRole('textbox', { name: 'Code' })).toBeFocused()
    await expectAccessible(page, 'question for the second step')
    await stepUp.getByRole('textbox', { name: 'Code' }).fill(nextCode())
    await stepUp.getByRole('button', { name: 'Confirm' }).click()
    await expect(page.getByText('No second step yet.')).toBeVisible()
    await expect(page.getByText('You are signed in with one step', { exact: true })).toBeVisible()
    expect(await factorsOf(me)).toEqual([])
    await expect(chip).toHaveAccessibleName('Sync: Up to date')
  })
})

test('a user changes name, address and password, signs out other devices, and links accounts', async ({
  me,
  server,
}) => {
  const { page } = me
  const password = 'a second password 2'

  await test.step('the name is saved for everywhere, and a new address waits for its confirmation', async () => {
    await page.goto('/account')
    await page.getByRole('textbox', { name: 'Name' }).fill('Noor H.')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText('Your name is saved')).toBeVisible()
    await expectIn(page, 'Noor H.')
    await expectAccessible(page, 'profile')

    await page.getByRole('button', { name: 'Change e-mail' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change e-mail' })
    await dialog.getByRole('textbox', { name: 'New e-mail' }).fill(`new-${me.email}`)
    await dialog.getByRole('button', { name: 'Send the mail' }).click()
    await expect(page.getByText('Confirm the new address')).toBeVisible()
    await expect(page.getByText(`Until then your address stays ${me.email}`)).toBeVisible()
  })

  await test.step('without a connection the profile stays readable', async () => {
    me.problems.expectCutLine()
    await page.context().setOffline(true)
    await expect(page.getByText('You are offline. You can read this')).toBeVisible()
    await expect(page.getByText(me.email, { exact: true })).toBeVisible()
    const save = page.getByRole('button', { name: 'Save (needs a connection)' })
    await expect(save).toHaveAttribute('aria-disabled', 'true')
    await expectAccessible(page, 'profile without a connection')
    await page.context().setOffline(false)
    await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeVisible()
  })

  await test.step('a new password has to meet the rules and be new, and then only it signs in', async () => {
    me.problems.expect(/status of 4\d\d.*\/auth\/v1\/user/)
    const other = await me.otherDevice()
    await page.goto('/account/security')
    const field = page.getByRole('textbox', { name: 'New password' })
    const set = page.getByRole('button', { name: 'Set a new password' })
    const rule = page.getByRole('list', { name: 'What the password needs' }).getByText('At least 6 characters')
    await field.fill('short')
    await expect(rule).toContainText('not met yet')
    await set.click()
    await expect(field).toHaveAccessibleDescription(/This password does not meet all the points yet/)
    await expect(field).toBeFocused()
    await expectAccessible(page, 'a password that is too short')

    await field.fill(me.password)
    await expect(rule).not.toContainText('not met yet')
    await set.click()
    await expect(field).toHaveAccessibleDescription(/This is your password already/)

    await field.fill(password)
    await set.click()
    await expect(page.getByText('Your new password is set')).toBeVisible()
    await expect(field).toHaveValue('')
    await expect(me.otherDevice()).rejects.toThrow('Invalid login credentials')
    // As the screen has said, other devices are signed out.
    expect((await other.auth.refreshSession()).error).not.toBeNull()
  })

  await test.step('another device is in the list with its name, and is signed out from here', async () => {
    const other = await me.otherDevice(password)
    await page.goto('/account/sign-ins')
    const list = page.getByRole('list', { name: 'Your sign-ins' })
    await expect(list.getByRole('listitem')).toHaveCount(2)
    await expect(list.getByRole('listitem').first()).toContainText('Chrome on Linux')
    await expect(list.getByRole('listitem').first()).toContainText('This device')
    await expectAccessible(page, 'sign-ins')
    await page.getByRole('button', { name: 'Sign out Node.js' }).click()
    await page.getByRole('alertdialog', { name: 'Sign out Node.js?' }).getByRole('button', { name: 'Sign out' }).click()
    await expect(list.getByRole('listitem')).toHaveCount(1)
    expect((await other.auth.getUser()).error).not.toBeNull()
    expect((await other.auth.refreshSession()).data.session).toBeNull()

    // Both others at once.
    const [second, third] = [await me.otherDevice(password), await me.otherDevice(password)]
    await page.reload()
    await page.getByRole('button', { name: 'Sign out all others' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out all others' }).click()
    await expect(page.getByText('You are signed in here only.')).toBeVisible()
    expect((await second.auth.getUser()).error).not.toBeNull()
    expect((await third.auth.getUser()).error).not.toBeNull()
  })

  await test.step('linked accounts are listed, the last one stays, another one is linked at its provider', async () => {
    await page.goto('/account/identities')
    const list = page.getByRole('list', { name: 'Linked accounts' })
    await expect(list).toContainText(me.email)
    await expect(list).toContainText('The only way to sign in')
    await expect(page.getByRole('button', { name: /^Unlink/ })).toHaveCount(0)
    await expectAccessible(page, 'ways to sign in')

    await page.route('https://github.com/**', (route) => route.fulfill({ body: 'GitHub asks who you are' }))
    await page.getByRole('button', { name: 'Link GitHub' }).click()
    await expect(page).toHaveURL(/^https:\/\/github\.com\/login\/oauth\/authorize\?.*client_id=a-client/)
    await page.unroute('https://github.com/**')

    await server.admin.execute(sql`
      insert into auth.identities (id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
      values (gen_random_uuid(), ${me.id}, 'github', '4711', ${JSON.stringify({ sub: '4711', email: 'noor@example.org' })}::jsonb, now(), now(), now())`)
    await page.goto('/account/identities')
    await expect(list).toContainText('noor@example.org')
    await page.getByRole('button', { name: 'Unlink GitHub' }).click()
    await page.getByRole('alertdialog', { name: 'Unlink GitHub?' }).getByRole('button', { name: 'Unlink' }).click()
    await expect(list.getByRole('listitem')).toHaveCount(1)
    await expect(list).not.toContainText('GitHub')
  })

  await test.step('whoever says no at the provider is told, and an answer that nobody asked for signs nobody in', async () => {
    me.problems.expect(/status of 400/)
    await page.route('https://github.com/**', refuseAtProvider)
    await becomeAnotherDevice(page)
    await page.goto('/account/appearance')
    await page.getByRole('button', { name: 'Continue with GitHub' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('GitHub did not confirm')
    await expectAccessible(page, 'a provider that did not confirm')
    await page.getByRole('link', { name: 'Try again' }).click()
    await expect(page).toHaveURL(/\/sign-in\?redirect=%2Faccount%2Fappearance/)

    await page.goto('/auth/v1/callback?code=of-somebody-else&state=made-up')
    await page.goto('/w')
    await expect(page).toHaveURL(/\/sign-in/)
  })
})

test('every account screen can be read in the light and in the dark, on a desktop and on a phone', async ({ me }) => {
  const { page } = me
  await me.otherDevice()
  const device = await page.context().newCDPSession(page)
  for (const [screen, heading] of [
    ['', 'Your account'],
    ['/security', 'Security'],
    ['/sign-ins', 'Sign-ins'],
    ['/identities', 'Ways to sign in'],
  ] as const) {
    await page.goto(`/account${screen}`)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expect(page.getByRole('status', { name: 'Reading your account' })).toHaveCount(0)
    for (const kind of ['desktop', 'phone'] as const) {
      const isPhone = kind === 'phone'
      const size = isPhone ? { width: 390, height: 844 } : { width: 1280, height: 800 }
      await page.setViewportSize(size)
      await device.send('Emulation.setDeviceMetricsOverride', { ...size, deviceScaleFactor: 1, mobile: isPhone })
      await device.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone })
      await comeToRest(page)
      const picture = `${PICTURES}/${kind}-account${screen.replace('/', '-')}`
      await page.screenshot({ path: `${picture}-light.png` })
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.screenshot({ path: `${picture}-dark.png` })
      await expectAccessible(page, `account${screen} in the dark on a ${kind}`)
      await page.emulateMedia({ colorScheme: 'light' })
    }
  }
})

/** The person at the provider refuses, and is led back. */
async function refuseAtProvider(route: Route): Promise<void> {
  const asked = new URL(route.request().url()).searchParams
  const back = new URL(asked.get('redirect_uri') ?? '')
  back.search = `${new URLSearchParams({ error: 'access_denied', error_description: 'The user has denied your application access.', state: asked.get('state') ?? '' })}`
  await route.fulfill({ contentType: 'text/html', body: `<script>location = ${JSON.stringify(back.href)}</script>` })
}

/** Leaves nothing of the app in the browser. */
async function becomeAnotherDevice(page: Page): Promise<void> {
  const { origin } = new URL(page.url())
  // A shared worker holds the database open as long as a page of the app is there.
  await page.goto('about:blank')
  const browser = await page.context().newCDPSession(page)
  await browser.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await browser.detach()
}

/** Up to where the app shows its QR code. @returns the secret in it */
async function beginAuthenticator(page: Page, name: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  const qr = dialog.getByRole('img', { name: 'QR code for the authenticator app' })
  await expect(qr).toBeVisible()
  expect(await qr.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await dialog.getByRole('button', { name: 'I cannot scan it' }).click()
  return dialog.locator('code').innerText()
}

async function factorsOf({ admin, id }: OwnAccount): Promise<readonly Factor[]> {
  const { data, error } = await admin.auth.admin.mfa.listFactors({ userId: id })
  if (error) throw error
  return data.factors
}

/** Codes of an authenticator app, one after the other: each counts once, and that of the step before and of the step after are good as well. */
function codesOf(secret: string): () => string {
  let last = 0
  return () => {
    const step = Math.floor(Date.now() / STEP_MS)
    const isAboutToEnd = Date.now() % STEP_MS > STEP_MS - 8_000
    last = Math.max(last + 1, isAboutToEnd ? step : step - 1)
    return totp(secret, last * STEP_MS)
  }
}

function wrongCode(secret: string): string {
  return totp(secret) === '000000' ? '111111' : '000000'
}
