import { SAMPLE_PASSWORD } from '@holdfast/test-support'
import { expect, test } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { openSample } from './support/sample-server.ts'
import { ACCOUNTS } from './support/person.ts'
import { openStranger } from './support/stranger.ts'

/* The first minute of whoever has started a server: what it prints leads into the sample, once. */

test(
  'the link that a start prints leads into the sample with one press, and works once',
  { tag: '@core' },
  async ({ browser }) => {
    // One of its own: the link is good for ten minutes after the start.
    await using holdfast = await openSample()
    const link = (holdfast.welcomeUrl ?? '').replace('127.0.0.1', 'localhost')
    expect(link).toContain('/welcome#key=')
    await using developer = await openStranger(browser, holdfast)
    const { page } = developer

    await test.step('the page says how one can begin, and the key is gone from the address', async () => {
      await page.goto(link)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Welcome')
      expect(new URL(page.url()).hash).toBe('')
      const sample = page.getByRole('button', { name: /^Explore the sample/ })
      await expect(sample).toBeFocused()
      await page.getByRole('button', { name: 'How' }).click()
      await expect(page.getByText('DATABASE_URL=')).toBeVisible()
      await expectAccessible(page, 'welcome')
      await sample.press('Enter')
    })

    await test.step('as the supervisor of a region, in what is overdue there', async () => {
      await expect(page.getByRole('button', { name: `Account of ${ACCOUNTS.dana.name}`, exact: true })).toBeVisible()
      await expect(page.getByRole('button', { name: 'View: Overdue – my region' })).toBeVisible({ timeout: 60_000 })
      const dana = await holdfast.supabase({ email: ACCOUNTS.dana.email, password: SAMPLE_PASSWORD })
      const { count } = await dana
        .from('actions')
        .select('*', { count: 'exact', head: true })
        .lt('due_on', new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' }).format())
        .not('state', 'in', '(verified,dropped)')
      await expect(page.getByText(new RegExp(`^${count} of `))).toBeVisible({ timeout: 120_000 })
    })

    await test.step('another browser is told that the link has been used, and comes in by a sample account', async () => {
      await using other = await openStranger(browser, holdfast)
      other.problems.expect(/status of 403.*\/auth\/v1\/verify/)
      await other.page.setViewportSize({ width: 390, height: 844 })
      await other.page.goto(link)
      const sample = other.page.getByRole('button', { name: /^Explore the sample/ })
      await sample.press('Enter')
      await expect(other.page.getByText('The link has been used, or is older than 10 minutes')).toBeVisible()
      await expectAccessible(other.page, 'welcome with a used link')
      await sample.press('Enter')
      await expect(other.page).toHaveURL(/\/sign-in\?redirect=/)
      await expect(other.page.getByRole('heading', { name: 'Sample accounts' })).toBeVisible()
      expect(other.problems.found).toEqual([])
    })
    expect(developer.problems.found).toEqual([])
  },
)
