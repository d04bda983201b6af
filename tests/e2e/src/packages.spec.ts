import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { buildTemplateApp, ROOT, serveFolder } from './support/guide-app.ts'
import { installPackages } from './support/installed-packages.ts'
import { ACCOUNTS, signIn } from './support/person.ts'

test('the packages, installed in an empty folder, are the server, the app, and an app that create-holdfast makes', async ({
  page,
}) => {
  await using packages = await installPackages()

  await test.step('npx finds the program', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'server/package.json'), 'utf8')) as { version: string }
    expect(await packages.npx('--version')).toBe(`${version}\n`)
  })

  await test.step('the server and all that it needs are at most 250 MB', async () => {
    const bytes = await packages.serverBytes()
    // Were nothing found, the sum would be small as well.
    expect(bytes).toBeGreaterThan(100_000_000)
    expect(bytes).toBeLessThanOrEqual(250_000_000)
  })

  await test.step('the test of the guide passes, on a server of its own', async () => {
    await packages.runGuideTest('docs/guides/test-your-app.md')
  })

  await using holdfast = await openHoldfast({ sample: true, program: packages.program })

  await test.step('the server makes its sample, and has the app', async () => {
    await page.goto(`${holdfast.url}/sign-in`)
    await signIn(page, ACCOUNTS.dana.email)
    await expect(page.getByRole('button', { name: /^Sync: / })).toHaveAccessibleName('Sync: Up to date', {
      timeout: 120_000,
    })
  })

  await test.step('the app that create-holdfast made is type-checked, built and used', async () => {
    await using app = await buildTemplateApp(
      { url: holdfast.url, anonKey: holdfast.anonKey },
      { into: packages.folder },
    )
    await using served = await serveFolder(app.folder)
    await holdfast.admin.withClient((client) => client.query(app.sql))
    await page.goto(served.url)
    await page.getByRole('button', { name: 'Create an account' }).click()
    await page.getByLabel('E-mail address').fill(`reader-${randomUUID().slice(0, 8)}@example.org`)
    await page.getByLabel('Password').fill('a long password 1')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await expect(page.locator('output')).toHaveText('Up to date', { timeout: 120_000 })
    await page.getByLabel('New note').fill('from a package')
    await page.getByRole('button', { name: 'Add' }).click()
    await expect
      .poll(async () => await holdfast.admin.query<{ body: string }>(sql`select body from public.notes`))
      .toEqual([{ body: 'from a package' }])
  })
})
