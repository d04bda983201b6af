import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { readDevice } from './support/local-device.ts'
import { ACCOUNTS, expectSynced, signIn } from './support/person.ts'

test(
  'a user who mistypes the password gets in, sees as many rows as Postgres lets them select, and signs out',
  { tag: '@core' },
  async ({ arrive, holdfast }) => {
    const dana = await arrive('dana', { until: 'signed-out' })
    const { page } = dana
    dana.problems.expect(/status of 4(?:00|29).*\/auth\/v1\/token/)

    await test.step('a wrong password gets the same answer as an unknown user', async () => {
      await page.goto(`${dana.home}/t/regions`)
      await expect(page).toHaveURL(/\/sign-in\?redirect=/)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in to your workspace')
      await expectAccessible(page, 'sign-in')

      const password = page.getByRole('textbox', { name: 'Password' })
      await signIn(page, dana.email, 'not the password')
      await expect(password).toHaveAccessibleDescription('E-mail or password is not right')
      await expect(password).toBeFocused()
      await expectAccessible(page, 'sign-in with a wrong password')

      await page.reload()
      await signIn(page, 'nobody@northline.example', 'not the password')
      await expect(password).toHaveAccessibleDescription('E-mail or password is not right')
    })

    await test.step('after too many attempts the form counts the seconds', async () => {
      const token = '**/auth/v1/token?*'
      const refusal = { code: 429, error_code: 'over_request_rate_limit', msg: 'Request rate limit reached' }
      await page.route(token, (route) => route.fulfill({ status: 429, json: refusal }))
      await signIn(page, dana.email)
      await expect(page.getByText(/^Too many attempts\. Try again in \d+ s\.$/)).toBeVisible()
      await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeDisabled()
      await expectAccessible(page, 'too many attempts')
      await page.unroute(token)
      await page.reload()
    })

    await test.step('the right password leads to the page that was asked for', async () => {
      await signIn(page, dana.email)
      await expect(page).toHaveURL(`${dana.home}/t/regions`)
      await expect(page.getByRole('heading', { level: 1, name: 'Regions' })).toBeAttached()
      await expectSynced(dana)
    })

    await test.step('every table has as many rows as Postgres lets the user select', async () => {
      await page.goto(dana.home)
      await expect(page.getByRole('heading', { level: 1, name: 'Northline Water' })).toBeVisible()
      const tables = page.getByRole('region', { name: 'Tables' }).getByRole('listitem')
      await expect(tables.first()).toBeVisible()
      const described = (await readDevice(page)).tables.filter(({ schema }) => schema === 'public')
      // Other journeys on this server may have made tables besides the sample's.
      const synced = await holdfast.admin.query<{ name: string }>(
        sql`select tablename as name from pg_catalog.pg_tables where schemaname = 'public' and rowsecurity`,
      )
      expect(described.map(({ table }) => table).toSorted()).toEqual(synced.map(({ name }) => name).toSorted())
      await page.getByRole('region', { name: 'Tables' }).getByRole('button', { name: 'More tables' }).click()
      await expect(tables).toHaveCount(described.length)
      const supabase = await dana.supabase()
      for (const { name, schema, table } of described) {
        const { count, error } = await supabase.schema(schema).from(table).select('*', { count: 'exact', head: true })
        expect(error).toBeNull()
        const link = tables.locator(`a[href="${dana.home}/t/${name}"]`)
        await expect(link.locator('span').last(), `count of ${name}`).toHaveText((count ?? 0).toLocaleString('en-GB'))
      }
      // Row-level security decides: the region's actions, not all of them.
      const rows = await holdfast.admin.query<{ count: number }>(sql`select count(*)::int as count from public.actions`)
      const shown = await supabase.from('actions').select('*', { count: 'exact', head: true })
      expect(shown.count).toBeLessThan(rows[0]?.count ?? 0)
      expect(shown.count).toBeGreaterThan(0)
      await expectAccessible(page, 'home')
      await expectConvergence(
        dana,
        // The history of records is asked for, record by record.
        described.map(({ name }) => name).filter((name) => name !== 'hf_history'),
      )
    })

    await test.step('signing out closes the tables', async () => {
      await page.getByRole('button', { name: `Account of ${dana.name}`, exact: true }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      const dialog = page.getByRole('alertdialog', { name: 'Sign out' })
      await expect(dialog).toContainText('All your work is saved on the server.')
      await expectAccessible(page, 'sign-out dialog')
      await dialog.getByRole('button', { name: 'Sign out' }).click()
      await expect(page).toHaveURL(/\/sign-in/)
      await page.goto(dana.home)
      await expect(page).toHaveURL(/\/sign-in\?redirect=/)
    })

    await test.step('the account is still on this device, and another user signs in beside it', async () => {
      await expect(page.getByRole('region', { name: 'On this device' })).toContainText(dana.name)
      await signIn(page, ACCOUNTS.mina.email)
      await expectSynced(dana)
      await expect(page).toHaveURL(dana.home)
      await expect(page.getByRole('button', { name: `Account of ${ACCOUNTS.mina.name}`, exact: true })).toBeVisible()
    })
  },
)
