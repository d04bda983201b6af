import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Holdfast } from '@holdfast/test-support'
import type { Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { codeOf, linkOf, nextMail, openMail } from './support/mailbox.ts'
import { addAuthenticator, openOwnAccount } from './support/own-account.ts'
import { expect, expectIn, followLink, lookAt, PICTURES, test } from './support/entry.ts'
import type { Stranger } from './support/stranger.ts'

const PASSWORD = 'a good one 7'

test('a user signs up with the code of a mail, and changes the address by the links in both mailboxes', async ({
  stranger,
  server,
}) => {
  const { page, email } = stranger

  await test.step('signing up asks for a better password, and for the code of the mail', async () => {
    stranger.problems.expect(/status of 403.*\/auth\/v1\/verify/)
    await page.goto('/sign-in')
    await page.getByRole('link', { name: 'Create account' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Create your account')
    await page.getByRole('textbox', { name: 'Name' }).fill('Nora Lind')
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    const password = page.getByRole('textbox', { name: 'Password' })
    await password.fill('abc')
    await page.getByRole('button', { name: 'Create account' }).click()
    await expect(password).toHaveAccessibleDescription(/does not meet all the points/)
    await expect(password).toBeFocused()
    await lookAt(page, 'sign-up')
    await password.fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()

    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your mail')
    const field = page.getByRole('textbox', { name: 'Code' })
    await expect(field).toBeFocused()
    await expect(page.getByRole('button', { name: /^Again in \d+ s$/ })).toBeDisabled()
    const right = await readCode(stranger, server)
    await field.fill(right === '000000' ? '111111' : '000000')
    await expect(field).toHaveAccessibleDescription('This code is wrong or too old')
    await expect(field).toHaveValue('')
    await expect(field).toBeFocused()
    await lookAt(page, 'sign-up-code')
    // As it is pasted from a mail.
    await field.fill(`${right.slice(0, 3)} ${right.slice(3)}`)
    await expectIn(page, 'Nora Lind')
  })

  await test.step('the address changes once both links are opened', async () => {
    await emptyMailbox(server, email)
    await page.goto('/account')
    await page.getByRole('button', { name: 'Change e-mail' }).click()
    const dialog = page.getByRole('dialog', { name: 'Change e-mail' })
    const next = `new-${email}`
    await dialog.getByRole('textbox', { name: 'New e-mail' }).fill(next)
    await dialog.getByRole('button', { name: 'Send the mail' }).click()
    await expect(dialog).toBeHidden()
    await followLink(page, linkOf(await nextMail(server, email)))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('One more link to open')
    await lookAt(page, 'e-mail-half-changed')
    await followLink(page, linkOf(await nextMail(server, next)))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your e-mail address has changed')
    await expect(page.getByText(`You sign in with ${next} from now on.`)).toBeVisible()
    await lookAt(page, 'e-mail-changed')
    await page.getByRole('link', { name: 'Go on' }).click()
    await expect(page.getByText(next, { exact: true })).toBeVisible()
  })
})

test('a mail in the mailbox runs nothing and loads nothing, until a person wants its pictures', async ({
  stranger,
  server,
}) => {
  const { page, email, problems } = stranger
  problems.expect(/sandboxed|Content Security Policy|chrome-error/)
  const asked: string[] = []
  const elsewhere = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg xmlns="http://www.w3.org/2000/svg"/>')
  })
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
  await page.goto(`${server.url}/mailbox`)
  await server.admin.execute(sql`
    insert into auth.messages (channel, kind, recipient, subject, body, html, status, created_at)
    values ('mail', 'invite', ${email}, 'From a stranger', '', ${hostileMail((elsewhere.address() as AddressInfo).port)}, 'captured', now())
  `)
  // It comes by itself.
  await page.getByRole('link', { name: 'From a stranger' }).click()
  const mail = page.frameLocator('iframe').first()
  await expect(mail.getByText('Dear reader')).toBeVisible()
  await expect(mail.getByText('written by a script')).toBeHidden()
  expect(asked).toEqual([])
  await page.getByRole('link', { name: 'Load them' }).click()
  await expect.poll(() => asked).toEqual(['/picture.svg'])
  await expect(mail.getByText('Dear reader')).toBeVisible()
  await expect(page).toHaveURL(/\/mailbox\//)
  elsewhere.close()
  elsewhere.closeAllConnections()
})

test('a user gets in with the link of a mail, and replaces a forgotten password', async ({ stranger, server }) => {
  const { page } = stranger
  const { email } = await stranger.withAccount()

  await test.step('the link of a mail leads to the page that was asked for, once', async () => {
    await page.goto('/account/appearance')
    await expect(page).toHaveURL(/\/sign-in\?redirect=/)
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await page.getByRole('button', { name: 'E-mail me a code' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Enter your code')
    await lookAt(page, 'sign-in-code')
    const link = linkOf(await nextMail(server, email))
    // A program that looks at mails opens what it finds in them, and presses nothing.
    for (const method of ['HEAD', 'GET', 'GET']) {
      expect((await fetch(link, { method, headers: { accept: 'text/html' } })).status).toBe(200)
    }
    const tab = await page.context().newPage()
    await followLink(tab, link)
    await expect(tab).toHaveURL(/\/account\/appearance$/)
    await expect(tab.getByRole('heading', { level: 1, name: 'Appearance' })).toBeVisible()

    await stranger.forget()
    await followLink(page, link)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('This link is too old, or was used already')
    await expect(page).toHaveURL(/\/auth\/callback\?flow=link/)
    await lookAt(page, 'link-too-old')
    await page.getByRole('link', { name: 'Go to sign in' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in to your workspace')
  })

  await test.step('giving up on a new password signs out', async () => {
    await emptyMailbox(server, email)
    await page.goto(`/recover?email=${encodeURIComponent(email)}`)
    await page.getByRole('button', { name: 'Send the mail' }).click()
    await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(await nextMail(server, email)))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose a new password')
    await page.getByRole('button', { name: 'Cancel and sign out' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in to your workspace')
    await page.goto('/w')
    await expect(page).toHaveURL(/\/sign-in/)
  })

  await test.step('until the new password is set, nothing else can be done', async () => {
    await emptyMailbox(server, email)
    const other = await stranger.otherDevice()
    await page.goto('/recover')
    await page.getByRole('textbox', { name: 'E-mail' }).fill('nobody@northline.example')
    await page.getByRole('button', { name: 'Send the mail' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your mail')
    await page.goBack()
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await page.getByRole('button', { name: 'Send the mail' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Check your mail')

    await followLink(page, linkOf(await nextMail(server, email)))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose a new password')
    await page.goto('/w')
    await expect(page).toHaveURL(/\/recover\/new-password$/)
    const password = page.getByRole('textbox', { name: 'New password' })
    await password.fill(stranger.password)
    stranger.problems.expect(/status of 422.*\/auth\/v1\/user/)
    await page.getByRole('button', { name: 'Save password' }).click()
    await expect(password).toHaveAccessibleDescription(/This is your password already/)
    await lookAt(page, 'new-password')
    await password.fill(PASSWORD)
    await page.getByRole('button', { name: 'Save password' }).click()
    await expectIn(page, 'Noor Haddad')
    expect((await other.auth.refreshSession()).error, 'the other device is signed out').not.toBeNull()
  })

  await test.step('the new password signs in', async () => {
    await stranger.forget()
    await signInWithPassword(page, email, PASSWORD)
    await expectIn(page, 'Noor Haddad')
  })
})

test('an invited user accepts, chooses a password, and lets another app use the account', async ({
  stranger,
  server,
}) => {
  const { page, email } = stranger

  await test.step('an invitation is accepted with a press, and leads to a password', async () => {
    await stranger.admin.auth.admin.inviteUserByEmail(email)
    await page.goto(linkOf(await nextMail(server, email)))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You are invited')
    expect(page.url()).not.toContain('access_token')
    await lookAt(page, 'invitation')
    // A press that does not reach the server has used nothing up.
    stranger.problems.expectCutLine()
    await page.route('**/auth/v1/verify', (route) => route.abort())
    await page.getByRole('button', { name: 'Accept' }).click()
    await expect(page.getByText(/^Cannot reach /)).toBeVisible()
    await page.unroute('**/auth/v1/verify')
    await page.getByRole('button', { name: 'Accept' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome. Choose a password')
    await page.getByRole('textbox', { name: 'New password' }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Save password' }).click()
    await expect(page.getByRole('button', { name: /^Account of / })).toBeVisible()
  })

  await test.step('another app asks for the account, after signing in', async () => {
    // Where the invitation led, which is not the address of the other journeys.
    await page.goto(`${server.url}/health`)
    await page.evaluate(() => localStorage.clear())
    const redirectUri = `${server.url}/health`
    const { data: client, error } = await stranger.admin.auth.admin.oauth.createClient({
      client_name: 'Waterworks Reports',
      redirect_uris: [redirectUri],
    })
    if (error) throw error
    const query = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email',
      state: 'as it was',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const ask = `${server.url}/auth/v1/oauth/authorize?${query}`
    await page.goto(ask)
    await expect(page).toHaveURL(/\/sign-in\?redirect=/)
    await signInWithPassword(page, email, PASSWORD)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Waterworks Reports wants to use your account')
    await expect(page.getByText('see your e-mail address')).toBeVisible()
    await lookAt(page, 'consent')
    await page.getByRole('button', { name: 'Do not allow' }).click()
    await expect(page).toHaveURL(/\/health\?.*error=access_denied/)
    // A question that could not be read is asked for again.
    const question = '**/oauth/authorizations/*'
    stranger.problems.expect(/status of 503.*\/oauth\/authorizations\//)
    await page.route(question, (route) => route.fulfill({ status: 503, json: {} }))
    await page.goto(ask)
    const again = page.getByRole('button', { name: 'Try again' })
    await again.click()
    await expect(again).toBeVisible()
    await page.unroute(question)
    await again.click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await expect(page).toHaveURL(/\/health\?.*code=.*state=as\+it\+was|\/health\?.*code=.*state=as%20it%20was/)
  })

  await test.step('what was answered once cannot be answered again', async () => {
    stranger.problems.expect(/status of 404.*\/oauth\/authorizations\//)
    await page.goto(`${server.url}/oauth/consent?authorization_id=nothing`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/too old, or was answered already/)
  })
})

test('a passkey is added, renamed, signs in and is removed, and one that is not there says so', async ({
  browser,
  server,
}) => {
  await using me = await openOwnAccount(browser, server)
  const { page } = me
  const authenticator = await addAuthenticator(page)
  const session = await page.evaluate(() => localStorage.getItem('holdfast-auth') ?? '')
  const signInBefore = (): Promise<void> =>
    page.evaluate((text) => localStorage.setItem('holdfast-auth', text), session)
  const list = page.getByRole('list', { name: 'Your passkeys' })
  const naming = page.getByRole('dialog', { name: 'Name of the passkey' })

  await test.step('a device without a passkey says so', async () => {
    await page.evaluate(() => localStorage.clear())
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Continue with a passkey' }).click()
    await expect(page.getByText('No passkey was used. Try again, or choose another way.')).toBeVisible()
    await lookAt(page, 'sign-in-no-passkey')
    await signInBefore()
  })

  await test.step('one is added and renamed, and there is no second of the same device', async () => {
    await page.goto('/account/security')
    await expect(page.getByText('No passkey yet.')).toBeVisible()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await naming.getByRole('textbox', { name: 'Name' }).fill('Laptop')
    await naming.getByRole('button', { name: 'Save' }).click()
    await expect(list).toContainText('Laptop')
    await expect(list).toContainText('added just now')

    await page.getByRole('button', { name: 'Rename Laptop' }).click()
    await expectAccessible(page, 'dialog with the name of a passkey')
    await naming.getByRole('textbox', { name: 'Name' }).fill('Old laptop')
    await naming.getByRole('button', { name: 'Save' }).click()
    await expect(list).toContainText('Old laptop')
    const { data } = await me.admin.auth.admin.passkey.listPasskeys({ userId: me.id })
    expect(data?.map(({ friendly_name: name }) => name)).toEqual(['Old laptop'])

    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await expect(page.getByText('This device or key is set up for your account already.')).toBeVisible()
  })

  await test.step('it signs in from the list of the e-mail field; this authenticator chooses by itself', async () => {
    await page.evaluate(() => localStorage.clear())
    await page.goto('/sign-in')
    await expectIn(page, 'Noor Haddad')
  })

  await test.step('it signs in from the button, in a browser without such a list, once it is confirmed', async () => {
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false
    })
    await page.evaluate(() => localStorage.clear())
    await page.goto('/sign-in')
    const confirm = (isUserVerified: boolean): Promise<unknown> =>
      authenticator.session.send('WebAuthn.setUserVerified', { authenticatorId: authenticator.id, isUserVerified })
    await confirm(false)
    await page.getByRole('button', { name: 'Continue with a passkey' }).click()
    await expect(page.getByText('No passkey was used. Try again, or choose another way.')).toBeVisible()
    await confirm(true)
    await page.getByRole('button', { name: 'Continue with a passkey' }).click()
    await expectIn(page, 'Noor Haddad')
  })

  await test.step('it is removed', async () => {
    await page.goto('/account/security')
    await page.getByRole('button', { name: 'Remove Old laptop' }).click()
    const question = page.getByRole('alertdialog', { name: 'Remove Old laptop?' })
    await question.getByRole('button', { name: 'Remove' }).click()
    await expect(page.getByText('No passkey yet.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add a passkey' })).toBeFocused()
    expect((await me.admin.auth.admin.passkey.listPasskeys({ userId: me.id })).data).toEqual([])
  })

  await test.step('pages that were opened by their IP address say where passkeys work', async () => {
    const named = server.url.replace('127.0.0.1', 'localhost')
    await page.goto(`${server.url}/sign-in`)
    await expect(page.getByRole('link', { name: `Open ${named} to use passkeys` })).toBeVisible()
    await signInBefore()
    await page.goto(`${server.url}/account/security`)
    const link = page.getByRole('link', { name: 'Open this page on localhost' })
    await expect(link).toHaveAttribute('href', `${named}/account/security`)
    await expect(page.getByRole('button', { name: 'Add a passkey' })).toHaveCount(0)
  })
  expect(me.problems.found, 'console errors and unhandled rejections').toEqual([])
})

/** A mail whose sender tries to learn when it is read, and to run scripts in the app. */
function hostileMail(port: number): string {
  const from = `http://127.0.0.1:${port}`
  return `<p>Dear reader</p><img src="${from}/picture.svg"><link rel="stylesheet" href="${from}/style.css">
<meta http-equiv="refresh" content="0;url=${from}/refresh"><iframe src="${from}/frame"></iframe>
<script>document.body.append('written by a script'); top.location = '${from}/top'</script><script src="${from}/script.js"></script>`
}

/** The next mail to an address is the only one. */
async function emptyMailbox({ admin }: Holdfast, recipient: string): Promise<void> {
  await admin.execute(sql`delete from auth.messages where recipient = ${recipient}`)
}

/** As its developer reads it, in the mailbox of the server. */
async function readCode({ page, email }: Stranger, server: Holdfast): Promise<string> {
  const mail = await openMail(page.context(), server, email)
  await expect(mail.getByRole('heading', { level: 2 })).toHaveText('Confirm your email address')
  await expect(mail.frameLocator('iframe').getByRole('link', { name: 'Confirm email address' })).toBeVisible()
  await mail.screenshot({ path: `${PICTURES}/entry-mailbox-mail.png` })
  const code = (await mail.locator('#code').textContent()) ?? ''
  await mail.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await mail.getByRole('button', { name: 'Copy code' }).click()
  await expect(mail.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await mail.evaluate(() => navigator.clipboard.readText())).toBe(code)
  await mail.getByRole('link', { name: 'Text', exact: true }).click()
  await expect(mail.getByText(`Code: ${code}`)).toBeVisible()
  // The rules cannot look into the frame of a mail, which runs nothing.
  await lookAt(mail, 'mailbox')
  await mail.close()
  return code
}

async function signInWithPassword(page: Page, email: string, password: string): Promise<void> {
  if (!page.url().includes('/sign-in')) await page.goto('/sign-in')
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('button', { name: 'Continue with password' }).click()
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
