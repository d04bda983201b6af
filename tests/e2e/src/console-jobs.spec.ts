import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { expect, test } from './support/fixtures.ts'
import { openConsole, openScreen } from './support/operators.ts'
import { watchProblems } from './support/problems.ts'

/* Jobs in the console: a job is run at once and switched off, and webhooks, queues and mails are looked into. And channels: stored messages are read. */

test('an operator runs a job, switches it off, and looks into webhooks, queues and mails', async ({
  browser,
  holdfast,
}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  const problems = watchProblems(context)
  const page = await context.newPage()
  const tab = (name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click()
  await holdfast.admin.execute(sql`select cron.schedule('yearly report', '30 6 1 1 *', 'select 1')`)
  await holdfast.admin.execute(sql`create extension if not exists pgmq`)
  await holdfast.admin.execute(sql`select pgmq.create('drafts'), pgmq.send('drafts', '{"to": "<b>ada</b>"}')`)

  await test.step('a job is run at once and listed with its result', async () => {
    await openConsole(page, holdfast, 'Fenna')
    await openScreen(page, 'Jobs')
    await expectAccessible(page, 'jobs in the console')
    await page.getByRole('link', { name: 'yearly report' }).click()
    await page.getByRole('button', { name: 'Run now' }).click()
    await expect(page.getByText('Succeeded')).toBeVisible()
    await expectAccessible(page, 'a job in the console')
    await page.getByRole('button', { name: 'Switch off' }).click()
    await expect(page.getByRole('button', { name: 'Switch on' })).toBeVisible()
    await page.goBack()
  })

  await test.step('messages of a queue are shown as text', async () => {
    await tab('Webhooks')
    await expectAccessible(page, 'webhooks in the console')
    await tab('Queues')
    await page.getByRole('link', { name: 'drafts' }).click()
    await expect(page.getByText('<b>ada</b>').first()).toBeVisible()
    await expectAccessible(page, 'a queue in the console')
    await page.goBack()
    await tab('Mailbox')
    await expectAccessible(page, 'mails in the console')
  })

  await test.step('stored messages of a topic are read as a user, as policies show them', async () => {
    await holdfast.admin.execute(
      sql`create policy rounds on realtime.messages for select to authenticated using (realtime.topic() = 'rounds')`,
    )
    await holdfast.admin.execute(sql`select realtime.send('{"text": "<i>at noon</i>"}', 'notice', 'rounds', true)`)
    await openScreen(page, 'Realtime')
    await page.getByRole('searchbox').fill('rounds')
    await expectAccessible(page, 'channels in the console')
    await page.getByRole('link', { name: 'Open private topic “rounds”' }).click()
    await page.getByLabel('User', { exact: true }).fill('dana.okafor@northline.example')
    await page.getByRole('button', { name: 'Read' }).click()
    await expect(page.getByRole('table', { name: 'Messages' })).toContainText('<i>at noon</i>')
    await expectAccessible(page, 'a channel in the console')
  })

  await context.close()
  expect(problems.found).toEqual([])
})
