import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { openStranger } from './support/stranger.ts'

const SYNCED = { timeout: 60_000 }
const WIDGET = `window.turnstile = { render(place, { callback }) {
  const button = Object.assign(document.createElement('button'), { textContent: 'I am human', onclick: () => callback('human') })
  place.append(button)
} }
window.holdfastReady()`

/** A captcha provider on this machine, which knows one human. */
async function openProvider(): Promise<AsyncDisposable & { readonly config: string }> {
  const server = createServer((request, response) => {
    void text(request).then((body) =>
      response.end(JSON.stringify({ success: new URLSearchParams(body).get('response') === 'human' })),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const folder = await mkdtemp(join(tmpdir(), 'captcha-'))
  const config = join(folder, 'config.json')
  const captchaUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = { captchaEnabled: true, captchaSecret: 'secret', captchaSiteKey: 'public', captchaUrl }
  await writeFile(config, JSON.stringify({ ...settings, formCaptcha: 'provider' }))
  return {
    config,
    async [Symbol.asyncDispose]() {
      server.close()
      await rm(folder, { recursive: true })
    },
  }
}

/** Serves the provider's widget, once it is not blocked. */
async function routeWidget(page: Page, isBlocked: () => boolean): Promise<void> {
  await page
    .context()
    .route('https://challenges.cloudflare.com/**', (route) =>
      isBlocked() ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: WIDGET }),
    )
}

test('a captcha of a provider comes before signing in and before a public answer, in a frame of its own', async ({
  browser,
}) => {
  await using provider = await openProvider()
  await using server = await openHoldfast({ args: [`--config-file=${provider.config}`] })
  await using noor = await openStranger(browser, server)
  await using visitor = await openStranger(browser, server)
  const { email } = await noor.withAccount()

  await test.step('the sign-in shows it when the server asks', async () => {
    await routeWidget(noor.page, () => false)
    noor.problems.expect(/400/)
    await noor.page.goto('/sign-in/password')
    await noor.page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await noor.page.getByLabel('Password', { exact: true }).fill(noor.password)
    await noor.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const dialog = noor.page.getByRole('dialog', { name: 'Confirm that you are human' })
    await dialog.frameLocator('iframe').getByRole('button', { name: 'I am human' }).click()
    await expect(dialog).toHaveCount(0)
    await expect(noor.page).toHaveURL(/\/(start|w)\b/, SYNCED)
  })

  const [made] = await server.admin.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', ${email}) as id`,
  )
  const client = await server.supabase()
  await client.auth.signInWithPassword({ email, password: noor.password, options: { captchaToken: 'human' } })
  const holdfast = client.schema('holdfast')
  const fields = [{ name: 'title', label: 'Title', kind: 'text' }]
  const table = { name: 'reports', label: 'Reports', access: { kind: 'members' }, fields }
  await holdfast.rpc('create_table', { workspace: made?.id, definition: table })
  const view = { table_name: 'reports', name: 'Report', type: 'form', scope: 'shared' }
  const { data: added } = await holdfast.from('views').insert(view).select('id').single()
  const questions = [{ field: 'title', label: 'Title', kind: 'text' }]
  const definition = { title: 'Report', thanks: 'Thanks', captcha: true, questions }
  const args = { workspace: made?.id, view: added?.id as string, table_name: 'reports', definition }
  const { data: form } = await holdfast.rpc('publish_form', args)

  await test.step('an answer waits while the widget is blocked, and is sent once it is passed', async () => {
    const { page } = visitor
    let isBlocked = true
    visitor.problems.expect(/ERR_FAILED|challenges\.cloudflare\.com/)
    await routeWidget(page, () => isBlocked)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`/f/${(form as { slug: string }).slug}`)
    await page.getByRole('textbox', { name: 'Title' }).fill('Seen by a human')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('The check could not be loaded')).toBeVisible()
    await expectAccessible(page, 'a captcha that is blocked')
    isBlocked = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.frameLocator('iframe').getByRole('button', { name: 'I am human' }).click()
    await expect(page.getByText('Thanks')).toBeVisible()
    expect(await server.admin.query(sql`select title from public.reports`)).toEqual([{ title: 'Seen by a human' }])
  })
  expect([...noor.problems.found, ...visitor.problems.found]).toEqual([])
})
