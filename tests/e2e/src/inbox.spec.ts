import type { BrowserContext, Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { expectAccessible, expectNoSidewaysScroll } from './support/accessibility.ts'
import { makeActions } from './support/actions.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { expectSynced } from './support/person.ts'

test('a person who is mentioned off line finds it in the inbox, unread until they follow it', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Inbox: a valve'])
  if (!action) throw new Error('an action was made')
  const dana = await arrive('dana', { viewport: { width: 1440, height: 900 } })

  await test.step('the people come up with @, by key', async () => {
    const { page } = dana
    await page.goto(`${dana.home}/t/actions/r/${action.id}?tab=comments`)
    const comment = page.getByRole('textbox', { name: 'Comment' })
    await expect(comment).toBeVisible()
    await dana.goOffline()
    await comment.pressSequentially('Please look, @min')
    await expect(page.getByRole('option', { name: 'Mina Kaya' })).toHaveAttribute('aria-selected', 'true')
    await expectAccessible(page, 'people to mention')
    await comment.press('Enter')
    await expect(comment).toHaveValue('Please look, @Mina Kaya ')
    await expect(page.getByRole('listbox')).toHaveCount(0)
    // Left in the middle, it waits on this device: with whom it mentions, and named where a person leaves the device.
    await page.getByRole('tab', { name: 'Fields' }).click()
    await expect(comment).toHaveCount(0)
    await page.getByRole('tab', { name: 'Comments' }).click()
    await expect(comment).toHaveValue('Please look, @Mina Kaya ')
    await page.getByRole('button', { name: `Account of ${dana.name}`, exact: true }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    const signOut = page.getByRole('alertdialog', { name: 'Sign out' })
    await expect(signOut).toContainText('1 draft is only on this device')
    await signOut.getByRole('button', { name: 'Cancel' }).click()
    await comment.press('Control+Enter')
    await expect(page.getByRole('article', { name: 'Comment by You' })).toContainText('@Mina Kaya')
    await dana.goOnline()
    await expectSynced(dana)
    const [stored] = await holdfast.admin.query<{ mentions: readonly string[]; user_id: string }>(sql`
      select c.mentions, p.user_id from holdfast.comments c, public.people p where c.record_id = ${action.id} and p.name = 'Mina Kaya'`)
    expect(stored?.mentions).toEqual([stored?.user_id])
  })

  const mina = await arrive('mina', { viewport: { width: 390, height: 844 } })
  const { page } = mina
  const item = page.getByRole('link', { name: /^Inbox: a valve ?, unread.*Dana Okafor mentioned you/ })
  await test.step('it is unread in the inbox of the other, and not in that of who wrote it', async () => {
    await page.goto(`${mina.home}/inbox`)
    await expect(item).toContainText('Please look, @Mina Kaya')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page, `inbox, ${colorScheme}`)
      await page.screenshot({ path: `test-results/screens/inbox-390-${colorScheme}.png`, animations: 'disabled' })
    }
    await expectNoSidewaysScroll(page, 'inbox')
    await page.setViewportSize({ width: 1440, height: 900 })
    await expect(page.getByRole('link', { name: /^Inbox ?, \d+ unread$/ })).toBeVisible()
    await page.screenshot({ path: 'test-results/screens/inbox-1440-dark.png', animations: 'disabled' })
    await dana.page.goto(`${dana.home}/inbox?filter=all`)
    await expect(dana.page.getByRole('heading', { level: 1, name: 'Inbox' })).toBeVisible()
    await expect(dana.page.getByRole('link', { name: /^Inbox: a valve/ })).toHaveCount(0)
  })

  const title = gridOf(page).cell(action.number, 'Title')
  await test.step('the record is marked in its table, and on its comments', async () => {
    await page.goto(`${mina.home}/t/actions${actionsThat('Inbox:')}`)
    await expect(title).toHaveAccessibleName(/, 1 new comment, you are mentioned$/)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await expectAccessible(page, `unread in a grid, ${colorScheme}`)
      await page.screenshot({ path: `test-results/screens/unread-1440-${colorScheme}.png`, animations: 'disabled' })
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await page
      .getByRole('list', { name: 'Actions, list' })
      .getByRole('button', { name: /1 new comment/ })
      .click()
    await expect(page.getByRole('tab', { name: 'Comments 1 1 new' })).toBeVisible()
    await expectNoSidewaysScroll(page, 'unread in a record')
    await page.screenshot({ path: 'test-results/screens/unread-record-390.png', animations: 'disabled' })
    await page.goBack()
    await page.screenshot({ path: 'test-results/screens/unread-list-390.png', animations: 'disabled' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${mina.home}/inbox`)
  })

  await test.step('followed, the comment is marked as new, and the item is read', async () => {
    await item.click()
    await expect(page.getByRole('article', { name: 'Comment by Dana Okafor' })).toContainText('new')
    await expect(page.getByRole('tab', { name: 'Comments 1', exact: true })).toBeVisible()
    const navigation = page.getByRole('navigation', { name: 'Workspace' })
    await navigation.getByRole('link', { name: /^Inbox/ }).click()
    await page.getByRole('tab', { name: 'Mentions' }).click()
    await expect(page.getByRole('link', { name: /^Inbox: a valve/ })).not.toContainText('unread')
  })

  await test.step('the rest is read at once, off line, and the mark reaches the server', async () => {
    await page.getByRole('tab', { name: /^Unread/ }).click()
    await mina.goOffline()
    await page.getByRole('button', { name: 'Mark all as read' }).click()
    await expect(page.getByText('All caught up')).toBeVisible()
    await mina.goOnline()
    await expectSynced(mina)
    const marks = await holdfast.admin.query(sql`
      select m.record_id from holdfast.read_marks m join public.people p on p.user_id = m.owner_id
       where p.name = 'Mina Kaya' and (m.record_id = ${action.id} or m.record_id is null) order by m.record_id`)
    expect(marks).toEqual([{ record_id: action.id }, { record_id: null }])
  })
  await test.step('a notification is shown by the service worker, and opens the record in the window that is there', async () => {
    const path = `${new URL(mina.home, page.url()).pathname}/t/actions/r/${action.id}?tab=comments`
    await mina.context.grantPermissions(['notifications'])
    await page.goto('/account/notifications')
    const shown = (): Promise<unknown> =>
      page.evaluate(async () => {
        const notifications = await (await navigator.serviceWorker.ready).getNotifications()
        return notifications.map(({ title, body }) => ({ title, body }))
      })
    // A browser may lose what is delivered while it starts the worker; a push service delivers again, and the same news is shown once.
    await expect(async () => {
      await pushTo(page, { kind: 'mention', who: 'Dana Okafor', title: action.title, text: 'Please look', path })
      await expect
        .poll(shown, { timeout: 10_000 })
        .toEqual([{ title: action.title, body: 'Dana Okafor mentioned you\nPlease look' }])
    }).toPass({ timeout: 60_000 })
    await expect
      .poll(() =>
        page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /follow-push/.test(name))),
      )
      .toBe(true)
    await pressNotification(mina.context)
    await expect(page).toHaveURL(path)
    expect(await shown()).toEqual([])
  })

  await test.step('the account says what notifications of this device are, and why they cannot be changed', async () => {
    await page.goto('/account/notifications')
    const isOn = page.getByRole('switch', { name: 'Notifications on this device' })
    await expect(isOn).toBeEnabled()
    await expectAccessible(page, 'notifications')
    await page.screenshot({ path: 'test-results/screens/notifications-1440-dark.png', animations: 'disabled' })
    await mina.goOffline()
    await expect(isOn).toBeDisabled()
    await expect(page.getByText('You are offline. This can be changed when the connection is back.')).toHaveCount(2) // this device, and the mail
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'light' })
    await expectNoSidewaysScroll(page, 'notifications')
    await page.screenshot({ path: 'test-results/screens/notifications-390-light.png', animations: 'disabled' })
    await mina.goOnline()
  })
})

/** Delivers a message as the browser's push service does. */
async function pushTo(page: Page, message: unknown): Promise<void> {
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
  const session = await page.context().newCDPSession(page)
  const registered = Promise.withResolvers<string>()
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const [first] = registrations
    if (first) registered.resolve(first.registrationId)
  })
  await session.send('ServiceWorker.enable')
  await session.send('ServiceWorker.deliverPushMessage', {
    origin: new URL(page.url()).origin,
    registrationId: await registered.promise,
    data: JSON.stringify(message),
  })
}

/** Browsers show notifications outside of their windows, where tests do not reach: the service worker gets the event that pressing one makes. */
async function pressNotification(context: BrowserContext): Promise<void> {
  const [worker] = context.serviceWorkers()
  if (!worker) throw new Error('the app has no service worker')
  await worker.evaluate(async () => {
    const scope = globalThis as unknown as {
      readonly registration: ServiceWorkerRegistration
      readonly NotificationEvent: new (type: string, init: { readonly notification: Notification }) => Event
      dispatchEvent(event: Event): boolean
    }
    const [notification] = await scope.registration.getNotifications()
    if (notification) scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }))
  })
}
