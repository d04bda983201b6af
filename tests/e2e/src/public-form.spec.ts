import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { signIn } from './support/person.ts'
import { takePicture } from './support/photos.ts'
import { openStranger } from './support/stranger.ts'

const SYNCED = { timeout: 60_000 }
const DEFINITION = {
  name: 'reports',
  label: 'Reports',
  access: { kind: 'members' },
  fields: [
    { name: 'title', label: 'What happened', kind: 'text' },
    { name: 'state', label: 'State', kind: 'choice', choices: ['Leak', 'Noise'] },
    { name: 'seen_on', label: 'Seen on', kind: 'date' },
    { name: 'photos', label: 'Photos', kind: 'attachment' },
    { name: 'place', label: 'Place', kind: 'location' },
    { name: 'took', label: 'Took', kind: 'duration' },
    { name: 'signed', label: 'Signed', kind: 'signature' },
    { name: 'team_id', label: 'Team', kind: 'link', table: 'hf_teams' },
  ],
}

test('an owner shares a form, and a visitor without an account answers it, also offline', async ({ browser }) => {
  await using server = await openHoldfast({ args: ['--no-enable-signup'] })
  await using noor = await openStranger(browser, server)
  await using visitor = await openStranger(browser, server)
  await noor.withAccount()
  const [made] = await server.admin.query<{ id: string }>(
    sql`select holdfast.create_workspace('Northline Water', ${noor.email}) as id`,
  )
  const client = (await server.supabase({ email: noor.email, password: noor.password })).schema('holdfast')
  await client.rpc('create_table', { workspace: made?.id, definition: DEFINITION }).throwOnError()
  // Postgres refuses a record without a photo, so both must arrive in one transaction.
  const conditions = [{ field: 'title', is: 'filled' }]
  const rule = { workspace: made?.id, table_name: 'reports', field: 'photos', conditions }
  await client.rpc('set_required_when', rule).throwOnError()
  const { page } = noor
  let link = ''

  await test.step('the owner adds a form and shares it', async () => {
    await page.goto('/sign-in')
    await signIn(page, noor.email, noor.password)
    await page.getByRole('link', { name: /^Reports/ }).click(SYNCED)
    await client
      .from('views')
      .insert({ table_name: 'reports', name: 'Report a problem', type: 'form', scope: 'shared' })
    await page.getByRole('link', { name: 'Report a problem' }).click(SYNCED)
    await page.getByRole('button', { name: 'Share form' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share this form' })
    await expect(dialog.getByText(/Not asked.*Team/)).toBeVisible()
    await dialog.getByRole('textbox', { name: 'Introduction' }).fill('Tell us what you saw.')
    // The visitor's device computes before it sends.
    await dialog.getByText('Check against bots').click()
    await dialog.getByText('Photos only').click()
    await dialog.getByRole('button', { name: 'Create link' }).click()
    link = new URL(await dialog.getByRole('textbox', { name: 'Link' }).inputValue(SYNCED)).pathname
    await expectAccessible(page, 'sharing a form')
  })

  await test.step('a visitor opens it once, and answers without a network', async () => {
    visitor.problems.expectCutLine()
    await visitor.page.setViewportSize({ width: 390, height: 844 })
    await visitor.page.goto(link)
    await expect(visitor.page.getByRole('heading', { level: 1, name: 'Report a problem' })).toBeVisible()
    await expectAccessible(visitor.page, 'a public form')
    await visitor.page.evaluate(() => navigator.serviceWorker.ready)
    await visitor.page.context().setOffline(true)
    await visitor.page.reload()
    await visitor.page.getByRole('textbox', { name: 'What happened' }).fill('Water in the cellar')
    await visitor.page.getByRole('button', { name: 'State' }).click()
    await visitor.page.getByRole('option', { name: 'Leak' }).click()
    await visitor.page.getByLabel('Seen on').fill('2026-11-01')
    await visitor.page.getByRole('textbox', { name: 'Place' }).fill('52.52, 13.405')
    await visitor.page.getByRole('textbox', { name: 'Took' }).fill('1:30')
    const signed = visitor.page.getByRole('region', { name: 'Signed' })
    await signed.getByRole('button', { name: 'Sign' }).click()
    await signed.getByRole('textbox', { name: 'Name' }).fill('Vera Visitor')
    await signed.getByRole('button', { name: 'Save signature' }).click()
    await expect(signed.getByRole('listitem')).toHaveText(/^Vera Visitor/)
    const photos = visitor.page.getByRole('region', { name: 'Photos' })
    const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('a note') }
    await photos.getByTestId('field-files').setInputFiles([note, await takePicture(visitor.page)])
    await expect(photos.getByText('note.txt is no photo that this browser can read.')).toBeVisible()
    await expect(photos.getByRole('listitem')).toHaveCount(1)
    await expectAccessible(visitor.page, 'a public form with a photo')
    await visitor.page.getByRole('button', { name: 'Send' }).click()
    await expect(visitor.page.getByText('1 answer is saved on this device and not sent yet.')).toBeVisible()
    await visitor.page.reload()
    await expect(visitor.page.getByText('1 answer is saved on this device and not sent yet.')).toBeVisible()
  })

  await test.step('it is sent when the network is back, and is a record of the owner', async () => {
    await visitor.page.context().setOffline(false)
    await expect(visitor.page.getByText('1 answer is saved on this device')).toHaveCount(0)
    await expect(page.getByRole('dialog').getByText('1 answer')).toBeVisible()
    const reports = sql`select title, state, seen_on::text, place::text, took::int from public.reports`
    expect(await server.admin.query(reports)).toEqual([
      { title: 'Water in the cellar', state: 'Leak', seen_on: '2026-11-01', place: '(13.405,52.52)', took: 90 },
    ])
    const files = () =>
      server.admin.query(
        sql`select field, media_type, uploaded_at is not null as is_stored from public.reports_files order by field`,
      )
    await expect.poll(files).toEqual([
      { field: 'photos', media_type: 'image/jpeg', is_stored: true },
      { field: 'signed', media_type: 'image/png', is_stored: true },
    ])
    await page.getByRole('button', { name: 'Stop sharing' }).click()
    await expect(page.getByText('This form is closed.')).toBeVisible()
    await visitor.page.reload()
    await expect(visitor.page.getByText('This form is closed.')).toBeVisible()
  })

  await test.step('a member saves it only with the photo that it requires', async () => {
    await client
      .from('views')
      .update({ config: { form: 'title,photos.required' } })
      .eq('name', 'Report a problem')
    await page.reload()
    const photos = page.getByRole('region', { name: /Photos/ })
    await expect(photos.getByRole('heading', { name: 'Photos (required)' })).toBeVisible(SYNCED)
    await page.getByRole('textbox', { name: 'What happened' }).fill('A broken fence')
    await page.getByRole('button', { name: 'Save & next' }).click()
    await expect(photos.getByRole('alert')).toHaveText('Photos needs a value')
    await photos.getByTestId('field-files').setInputFiles([await takePicture(page)])
    await expectAccessible(page, 'a form with a photo')
    await page.getByRole('button', { name: 'Save & next' }).click()
    const names = sql`select title, photos from public.reports where title = 'A broken fence'`
    await expect
      .poll(() => server.admin.query(names), SYNCED)
      .toEqual([{ title: 'A broken fence', photos: 'IMG_0042.jpg' }])
    await expect(photos.getByRole('listitem')).toHaveCount(0)
  })
  expect([...noor.problems.found, ...visitor.problems.found]).toEqual([])
})
