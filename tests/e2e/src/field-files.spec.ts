import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { placesWith } from './support/kept-bytes.ts'
import { readDevice } from './support/local-device.ts'
import { signIn } from './support/person.ts'
import { takePicture } from './support/photos.ts'
import { openStranger } from './support/stranger.ts'

/* A table that an owner made gets a field for photos and files, without SQL: used offline, and seen by whoever sees the record, and by nobody else. */

const SYNCED = { timeout: 120_000 }

test('files and signatures of fields are added offline, seen by others, and leave a device with their record', async ({
  browser,
}) => {
  await using server = await openHoldfast()
  await using olga = await openStranger(browser, server)
  await using noor = await openStranger(browser, server)
  const { page } = olga
  const files = page.getByRole('region', { name: 'Evidence' })
  const signed = page.getByRole('region', { name: 'Approved' })
  const path = (): string => new URL(page.url()).pathname

  await test.step('given a table, and a member who sees its records', async () => {
    await page.goto((server.welcomeUrl ?? '').replace('127.0.0.1', 'localhost'))
    await page.getByLabel('Workspace name').fill('Water')
    await page.getByLabel('Your name').fill('Olga')
    await page.getByLabel('E-mail').fill('olga@example.org')
    await page.getByLabel('Password', { exact: true }).fill('a password of hers')
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('link', { name: 'Start empty' }).click(SYNCED)
    await page.getByLabel('Table name').fill('Pumps')
    await page.getByRole('button', { name: 'Create table' }).click()
    await page.getByRole('button', { name: 'New pump' }).last().click(SYNCED)
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Pump 1')
    await name.press('Enter')
    await page.keyboard.press('Escape')
    const { email } = await noor.withAccount()
    await server.admin.execute(sql`
      insert into holdfast.members (workspace_id, user_id, role, name)
      select w.id, u.id, 'viewer', 'Noor' from holdfast.workspaces w, auth.users u where u.email = ${email}`)
  })

  await test.step('the owner adds the fields', async () => {
    for (const [name, type] of [
      ['Evidence', 'Photos and files'],
      ['Approved', 'Signature'],
    ] as const) {
      await page.getByRole('button', { name: 'Add field' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Field name').fill(name)
      await dialog.getByRole('button', { name: /Type/ }).click()
      await page.getByRole('option', { name: type }).click()
      await dialog.getByRole('button', { name: 'Add field' }).click()
      await expect(page.getByRole('columnheader', { name: new RegExp(name) })).toBeVisible(SYNCED)
    }
  })

  await test.step('a photo, a file and a signature are added offline', async () => {
    await page.getByRole('button', { name: 'Open Pump 1' }).click()
    await expect(files.getByRole('button', { name: 'Add files' })).toBeVisible({ timeout: 30_000 })
    await page.context().setOffline(true)
    const pdf = { name: 'Plan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 plan') }
    await files.getByTestId('field-files').setInputFiles([await takePicture(page), pdf])
    await expect(files.getByRole('button', { name: /Photo 1 of 1/ })).toBeVisible(SYNCED)
    await expect(files.getByRole('button', { name: /Save Plan\.pdf/ })).toBeVisible()
    await expect(page.getByRole('gridcell', { name: 'Evidence: IMG_0042.jpg, Plan.pdf' })).toBeVisible()
    await signed.getByRole('button', { name: 'Sign' }).click()
    await expectAccessible(page, 'signing')
    await signed.getByLabel('Name').fill('Olga Berg')
    await signed.getByRole('button', { name: 'Save signature' }).click()
    await expect(signed.getByRole('img', { name: 'Olga Berg' })).toBeVisible(SYNCED)
    await expectAccessible(page, 'a record with files')
    expect(path()).toContain('pumps')
  })

  await test.step('they are sent later, and the record has their names', async () => {
    await page.context().setOffline(false)
    await expect
      .poll(
        () =>
          server.admin.query(
            sql`select evidence, approved, count(*)::int as files from public.pumps, public.pumps_files where uploaded_at is not null group by 1, 2`,
          ),
        SYNCED,
      )
      .toEqual([{ evidence: 'IMG_0042.jpg, Plan.pdf', approved: 'Olga Berg', files: 3 }])
  })

  const pdfOf = (text: string): Promise<readonly string[]> => placesWith(noor.page, text)
  const open = async (): Promise<void> => {
    await noor.page.goto(path())
  }
  await test.step('another member sees them, and may change nothing', async () => {
    await noor.page.goto('/')
    await signIn(noor.page, noor.email, noor.password)
    await expect(noor.page.getByRole('link', { name: /Pumps/ }).first()).toBeVisible(SYNCED)
    await open()
    await noor.page.getByRole('button', { name: 'Open Pump 1' }).click(SYNCED)
    const theirs = noor.page.getByRole('region', { name: 'Evidence' })
    await expect(theirs.getByRole('button', { name: /Open Photo 1 of 1/ })).toBeVisible(SYNCED)
    await expect(theirs.getByRole('button', { name: /Save Plan\.pdf/ })).toBeVisible(SYNCED)
    await expect(theirs.getByRole('button', { name: 'Add files' })).toBeHidden()
    await expect.poll(() => pdfOf('%PDF-1.4 plan'), SYNCED).not.toEqual([])
  })

  await test.step('a rule that hides the record takes its files off the device', async () => {
    const own = [{ role: 'viewer', scope: 'own' }]
    const rules = { see: own, add: [], change: [], delete: [] }
    await server.admin.execute(sql`
      select set_config('request.jwt.claims', json_build_object('sub', m.user_id, 'role', 'authenticated')::text, false),
             holdfast.set_access(m.workspace_id, 'pumps', ${JSON.stringify(rules)}::jsonb)
        from holdfast.members m where m.role = 'owner'`)
    await expect.poll(async () => (await readDevice(noor.page, 'select id from pumps_files')).rows, SYNCED).toEqual([])
    await expect.poll(() => pdfOf('%PDF-1.4 plan'), SYNCED).toEqual([])
  })
})
