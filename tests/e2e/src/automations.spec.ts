import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, test } from '@playwright/test'
import { openReceiver } from './support/receiver.ts'
import { expectAccessible } from './support/accessibility.ts'
import { openStranger } from './support/stranger.ts'

/* An owner's automation, from an example to its effect on a device, a failure and its history. */

const SYNCED = { timeout: 120_000 }
const TABLE = {
  name: 'pumps',
  label: 'Pumps',
  fields: [
    { name: 'title', label: 'Title', kind: 'text' },
    { name: 'state', label: 'State', kind: 'choice', choices: ['Open', 'Done'] },
    { name: 'done_on', label: 'Done on', kind: 'date' },
  ],
  access: { kind: 'members' },
}

test('an owner makes an automation, tries it, sees what it does and why it fails', async ({ browser }) => {
  await using receiver = await openReceiver()
  await using server = await openHoldfast({ args: [`--automations-allow=${new URL(receiver.url).host}`] })
  await using olga = await openStranger(browser, server)
  const { page } = olga

  await test.step('given a table with a record', async () => {
    await page.goto((server.welcomeUrl ?? '').replace('127.0.0.1', 'localhost'))
    await page.getByLabel('Workspace name').fill('Water')
    await page.getByLabel('Your name').fill('Olga')
    await page.getByLabel('E-mail').fill('olga@example.org')
    await page.getByLabel('Password', { exact: true }).fill('a password of hers')
    await page.getByRole('button', { name: 'Create workspace' }).click()
    await page.getByRole('link', { name: 'Start empty' }).waitFor(SYNCED)
    await server.admin.transaction(async (tx) => {
      await tx.execute(sql`
        select set_config('request.jwt.claims', json_build_object('role', 'authenticated', 'sub', m.user_id)::text, true),
               holdfast.create_table(m.workspace_id, ${JSON.stringify(TABLE)}::jsonb) from holdfast.members m`)
      await tx.execute(sql`insert into public.pumps (title, state) values ('Pump 7', 'Open')`)
    })
    await page.getByRole('link', { name: 'Automations' }).click(SYNCED)
    await expectAccessible(page, 'no automations')
  })

  await test.step('an example is adapted, tried, saved and turned on', async () => {
    await page.getByRole('button', { name: 'Fill in Done on when it is Done' }).click(SYNCED)
    await page.getByRole('button', { name: 'Add action' }).click()
    await page.getByRole('button', { name: 'Insert field' }).last().click()
    await page.getByRole('menuitem', { name: 'State' }).click()
    await expect(page.getByLabel('Message')).toHaveValue('{Title}{State}')
    await page.getByLabel('Message').fill('{Title} is {State}')
    await page.getByRole('button', { name: 'Try it' }).click()
    await expect(page.getByText(/^Done on: empty → \d{4}-/)).toBeVisible()
    await expect(page.getByText('Notified: Pump 7 is Open')).toBeVisible()
    await expectAccessible(page, 'trying an automation')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await expect(page.getByRole('switch', { name: 'Automation' })).toBeChecked(SYNCED)
    await expect(page.getByText('It has not run yet.')).toBeVisible()
  })

  await test.step('a change on the device runs it: the record, the inbox and the history have it', async () => {
    const done = async (): Promise<unknown> =>
      (await server.admin.query<{ done_on: string | null }>(sql`select done_on::text from public.pumps`))[0]?.done_on
    await server.admin.execute(sql`update public.pumps set state = 'Done'`)
    await expect.poll(done).toMatch(/^\d{4}-/)
    await expect(page.getByText('Notified: Pump 7 is Done')).toBeVisible(SYNCED)
    await expectAccessible(page, 'the history of an automation')
    await page.getByRole('link', { name: /^Inbox/ }).click()
    await expect(page.getByText('Pump 7 is Done')).toBeVisible()
  })

  await test.step('a failure says why, and runs again once it is mended', async () => {
    const constraint = sql`alter table public.pumps add constraint early check (done_on < '2020-01-01') not valid`
    await server.admin.execute(constraint)
    await server.admin.execute(sql`insert into public.pumps (title, state) values ('Pump 8', 'Open')`)
    await server.admin.execute(sql`update public.pumps set state = 'Done' where title = 'Pump 8'`)
    await page.getByRole('link', { name: 'Automations' }).click()
    await expect(page.getByText('Failed', { exact: true })).toBeVisible(SYNCED)
    await page.getByRole('link', { name: 'Fill in Done on when it is Done' }).click()
    await expect(page.getByText('Action 1 failed. Nothing was changed.')).toBeVisible()
    await expect(page.getByText('A value does not fit its field.')).toBeVisible()
    await server.admin.execute(sql`alter table public.pumps drop constraint early`)
    await page.getByRole('button', { name: 'Run again' }).click()
    await expect(page.getByText('Notified: Pump 8 is Done')).toBeVisible(SYNCED)
  })

  await test.step('a webhook on a schedule is made in the app, and its run is seen', async () => {
    await page.getByRole('link', { name: 'Automations' }).click()
    await page.getByRole('link', { name: 'New automation' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Weekly count')
    await page.getByRole('button', { name: /Event$/ }).click()
    await page.getByRole('option', { name: 'a scheduled time comes' }).click()
    await page.getByRole('button', { name: /Runs$/ }).click()
    await page.getByRole('option', { name: 'once, if any record meets them' }).click()
    await page.getByRole('button', { name: /Action 1$/ }).click()
    await page.getByRole('option', { name: 'Send a webhook' }).click()
    await page.getByLabel('Address').fill(receiver.url)
    await page.getByLabel('Text to send along').fill('{count} pumps')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await expect(page.getByRole('switch', { name: 'Automation' })).toBeChecked(SYNCED)
    await expect(page.getByText('On', { exact: true })).toBeVisible()
    await server.admin.execute(sql`
      update holdfast.automation_clocks c set next_at = now() - interval '1 minute'
        from holdfast.automations a where a.id = c.automation_id and a.name = 'Weekly count'`)
    await server.admin.execute(sql`notify holdfast_automations`)
    await expect(page.getByText(/^Webhook to 127\.0\.0\.1/)).toBeVisible(SYNCED)
    await expect(page.getByText(/answered 200/)).toBeVisible(SYNCED)
    expect(receiver.bodies).toMatchObject([{ automation: 'Weekly count', text: '2 pumps' }])
  })
  expect(olga.problems.found).toEqual([])
})
