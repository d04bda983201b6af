import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, test as base } from '@playwright/test'
import { comeToRest, expectAccessible } from './support/accessibility.ts'
import type { Holdfast } from '@holdfast/test-support'
import { addAuthenticator, openOwnAccount, totp, type OwnAccount } from './support/own-account.ts'
import { signIn } from './support/person.ts'
import { openStranger } from './support/stranger.ts'

/** Where pictures of the screens are kept for people to look at. */
const PICTURES = 'test-results/screens'

/** Sign-ins from one address in five minutes: one comes back every thirty seconds. */
const ATTEMPTS = 10

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

test('an authenticator app is added with its code, and then asked for before it is removed', async ({ me }) => {
  const { page } = me
  me.problems.expect(/status of 4\d\d.*\/factors\//)
  await page.goto('/account/security')
  await expect(page.getByText('You are signed in with one step', { exact: true })).toBeVisible()
  await expectAccessible(page, 'account security')
  await page.getByRole('button', { name: 'Add an authenticator app' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Work phone')
  await dialog.getByRole('button', { name: 'Continue' }).click()

  const qr = dialog.getByRole('img', { name: 'QR code for the authenticator app' })
  await expect(qr).toBeVisible()
  expect(await qr.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  await dialog.getByRole('button', { name: 'I cannot scan it' }).click()
  const secret = await dialog.locator('code').innerText()
  await expectAccessible(page, 'dialog with a QR code')

  const right = totp(secret)
  await dialog.getByRole('textbox', { name: 'Code' }).fill(right === '000000' ? '111111' : '000000')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog.getByText('This code is not right.')).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Code' }).fill(totp(secret))
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('list', { name: 'Your second steps' })).toContainText('Work phone')
  await expect(page.getByText('You are signed in with two steps')).toBeVisible()

  await page.getByRole('button', { name: 'Get recovery codes' }).click()
  const codes = page.getByRole('alertdialog', { name: 'Recovery codes' })
  await expect(codes.getByRole('list', { name: 'Your recovery codes' }).getByRole('listitem')).toHaveCount(10)
  await expectAccessible(page, 'recovery codes')
  await codes.getByRole('button', { name: 'I have kept them' }).click()
  await expect(page.getByText('10 of 10 are left')).toBeVisible()

  // Signed in with the password alone, everything that weakens the account wants the second step first.
  const half = await me.otherDevice()
  const { data } = await half.auth.getSession()
  await page.evaluate((session) => localStorage.setItem('holdfast-auth', session), JSON.stringify(data.session))
  await page.goto('/account/security')
  await expect(page.getByText('You are signed in with one of your two steps')).toBeVisible()
  await page.getByRole('button', { name: 'Remove Work phone' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  const stepUp = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await expect(stepUp).toBeVisible()
  await expect(stepUp.getByRole('textbox', { name: 'Code' })).toBeFocused()
  await expectAccessible(page, 'question for the second step')
  // A code counts once; the next one is accepted a little ahead of its time.
  await stepUp.getByRole('textbox', { name: 'Code' }).fill(totp(secret, Date.now() + 30_000))
  await stepUp.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText('No second step yet.')).toBeVisible()
  await expect(page.getByText('You are signed in with one step', { exact: true })).toBeVisible()
  const { data: factors } = await me.admin.auth.admin.mfa.listFactors({ userId: me.id })
  expect(factors?.factors).toEqual([])
})

test('an authenticator app whose adding was broken off by a reload is added under the same name', async ({ me }) => {
  const { page } = me
  me.problems.expect(/status of 404.*\/factors\/recovery-codes/)
  const dialog = page.getByRole('dialog', { name: 'Add an authenticator app' })
  const begin = async (): Promise<void> => {
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Add an authenticator app' }).click()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await expect(dialog.getByRole('img')).toBeVisible()
  }
  await begin()
  await begin()
  await dialog.getByRole('button', { name: 'I cannot scan it' }).click()
  await dialog.getByRole('textbox', { name: 'Code' }).fill(totp(await dialog.locator('code').innerText()))
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await expect(dialog).toBeHidden()
  const { data } = await me.admin.auth.admin.mfa.listFactors({ userId: me.id })
  expect(data?.factors.map(({ status }) => status)).toEqual(['verified'])
})

test('a passkey is added, renamed and removed', async ({ me }) => {
  const { page } = me
  await addAuthenticator(page)
  await page.goto('/account/security')
  await expect(page.getByText('No passkey yet.')).toBeVisible()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const naming = page.getByRole('dialog', { name: 'Name of the passkey' })
  await naming.getByRole('textbox', { name: 'Name' }).fill('Laptop')
  await naming.getByRole('button', { name: 'Save' }).click()
  const list = page.getByRole('list', { name: 'Your passkeys' })
  await expect(list).toContainText('Laptop')
  await expect(list).toContainText('added just now')

  await page.getByRole('button', { name: 'Rename Laptop' }).click()
  await expectAccessible(page, 'dialog with the name of a passkey')
  await naming.getByRole('textbox', { name: 'Name' }).fill('Old laptop')
  await naming.getByRole('button', { name: 'Save' }).click()
  await expect(list).toContainText('Old laptop')
  const { data } = await me.admin.auth.admin.passkey.listPasskeys({ userId: me.id })
  expect(data?.map(({ friendly_name: name }) => name)).toEqual(['Old laptop'])

  // The same device has one already, and says so instead of making a second.
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByText('This device or key is set up for your account already.')).toBeVisible()

  await page.getByRole('button', { name: 'Remove Old laptop' }).click()
  const question = page.getByRole('alertdialog', { name: 'Remove Old laptop?' })
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No passkey yet.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeFocused()
  expect((await me.admin.auth.admin.passkey.listPasskeys({ userId: me.id })).data).toEqual([])
})

test('a page that was opened by its IP address says where passkeys work', async ({ me, server }) => {
  const { page } = me
  const session = await page.evaluate(() => localStorage.getItem('holdfast-auth'))
  await page.goto(`${server.url}/health`)
  await page.evaluate((text) => localStorage.setItem('holdfast-auth', text ?? ''), session)
  await page.goto(`${server.url}/account/security`)
  await expect(page.getByRole('link', { name: 'Open this page on localhost' })).toHaveAttribute(
    'href',
    `${server.url.replace('127.0.0.1', 'localhost')}/account/security`,
  )
  await expect(page.getByRole('button', { name: 'Add a passkey' })).toHaveCount(0)
})

test('a new password has to meet the rules and be new, and then only it signs in', async ({ me }) => {
  const { page } = me
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

  await field.fill('a second password 2')
  await set.click()
  await expect(page.getByText('Your new password is set')).toBeVisible()
  await expect(field).toHaveValue('')
  await expect(me.otherDevice()).rejects.toThrow('Invalid login credentials')
  await me.otherDevice('a second password 2')
  // As the screen has said, other devices are signed out.
  expect((await other.auth.refreshSession()).error).not.toBeNull()
})

test('another device is in the list with its name, and is signed out from here', async ({ me }) => {
  const { page } = me
  const other = await me.otherDevice()
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
  const [second, third] = [await me.otherDevice(), await me.otherDevice()]
  await page.reload()
  await page.getByRole('button', { name: 'Sign out all others' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out all others' }).click()
  await expect(page.getByText('You are signed in here only.')).toBeVisible()
  expect((await second.auth.getUser()).error).not.toBeNull()
  expect((await third.auth.getUser()).error).not.toBeNull()
})

test('linked accounts are listed, the last one stays, another one is linked at its provider', async ({
  me,
  server,
}) => {
  const { page } = me
  await page.goto('/account/identities')
  const list = page.getByRole('list', { name: 'Linked accounts' })
  await expect(list).toContainText(me.email)
  await expect(list).toContainText('The only way to sign in')
  await expect(page.getByRole('button', { name: /^Unlink/ })).toHaveCount(0)
  await expectAccessible(page, 'ways to sign in')

  await page.route('https://github.com/**', (route) => route.fulfill({ body: 'GitHub asks who you are' }))
  await page.getByRole('button', { name: 'Link GitHub' }).click()
  await expect(page).toHaveURL(/^https:\/\/github\.com\/login\/oauth\/authorize\?.*client_id=a-client/)

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

test('whoever says no at the provider is told, and an answer that nobody asked for signs nobody in', async ({
  browser,
  server,
}) => {
  await using stranger = await openStranger(browser, server)
  const { page } = stranger
  stranger.problems.expect(/status of 400/)
  await page.route('https://github.com/**', (route) => {
    const asked = new URL(route.request().url()).searchParams
    const back = new URL(asked.get('redirect_uri') ?? '')
    back.search = `${new URLSearchParams({ error: 'access_denied', error_description: 'The user has denied your application access.', state: asked.get('state') ?? '' })}`
    return route.fulfill({ contentType: 'text/html', body: `<script>location = ${JSON.stringify(back.href)}</script>` })
  })
  await page.goto('/account/appearance')
  await page.getByRole('button', { name: 'Continue with GitHub' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('GitHub did not confirm')
  await expectAccessible(page, 'a provider that did not confirm')
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page).toHaveURL(/\/sign-in\?redirect=%2Faccount%2Fappearance/)

  await page.goto('/auth/v1/callback?code=of-somebody-else&state=made-up')
  await page.goto('/w')
  await expect(page).toHaveURL(/\/sign-in/)
  expect(stranger.problems.found, 'console errors and unhandled rejections').toEqual([])
})

test('after too many attempts the form counts the seconds, and then signs in', async ({ browser }) => {
  await using server = await openHoldfast({ args: [`--rate-limit-sign-in-sign-ups=${ATTEMPTS}`] })
  await using stranger = await openStranger(browser, server)
  const { page, password } = stranger
  const { email } = await stranger.withAccount()
  stranger.problems.expect(/status of 4(00|29).*\/auth\/v1\/token/)
  await page.goto('/sign-in')
  await signIn(page, email, 'not the password')
  await expect(page.getByRole('textbox', { name: 'Password' })).toHaveAccessibleDescription(
    'E-mail or password is not right',
  )
  await expect(async () => {
    await expect(stranger.otherDevice('not the password either')).rejects.toThrow('Request rate limit reached')
  }).toPass()
  await signIn(page, email, password)
  await expect(page.getByText(/^Too many attempts\. Try again in \d+ s\.$/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeDisabled()
  await expectAccessible(page, 'too many attempts')
  await expect(page.getByText(/^Too many attempts/)).toHaveCount(0, { timeout: 90_000 })
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Account of Noor Haddad', exact: true })).toBeVisible()
  expect(stranger.problems.found, 'console errors and unhandled rejections').toEqual([])
})

test('the name is saved for everywhere, and without a connection the screens stay readable', async ({ me }) => {
  const { page } = me
  await page.goto('/account')
  await page.getByRole('textbox', { name: 'Name' }).fill('Noor H.')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Your name is saved')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Account of Noor H.', exact: true })).toBeVisible()
  await expectAccessible(page, 'profile')

  await page.getByRole('button', { name: 'Change e-mail' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change e-mail' })
  await dialog.getByRole('textbox', { name: 'New e-mail' }).fill('noor.new@northline.example')
  await dialog.getByRole('button', { name: 'Send the mail' }).click()
  await expect(page.getByText('Confirm the new address')).toBeVisible()
  await expect(page.getByText(`Until then your address stays ${me.email}`)).toBeVisible()

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

for (const device of ['desktop', 'phone'] as const) {
  test(`every account screen can be read in the light and in the dark on a ${device}`, async ({ browser, server }) => {
    await using me = await openOwnAccount(
      browser,
      server,
      device === 'phone' ? { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } : {},
    )
    const { page } = me
    await me.otherDevice()
    for (const [screen, heading] of [
      ['', 'Your account'],
      ['/security', 'Security'],
      ['/sign-ins', 'Sign-ins'],
      ['/identities', 'Ways to sign in'],
    ] as const) {
      await page.goto(`/account${screen}`)
      await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
      await expect(page.getByRole('status', { name: 'Reading your account' })).toHaveCount(0)
      await comeToRest(page)
      const picture = `${PICTURES}/${device}-account${screen.replace('/', '-')}`
      await page.screenshot({ path: `${picture}-light.png` })
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.screenshot({ path: `${picture}-dark.png` })
      await expectAccessible(page, `account${screen} in the dark on a ${device}`)
      await page.emulateMedia({ colorScheme: 'light' })
    }
    expect(me.problems.found).toEqual([])
  })
}
