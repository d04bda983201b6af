import { join } from 'node:path'
import { expect, test } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { argumentsOf, findExample, runExample } from './run-example.ts'

// A quiz of the Supabase community: Next.js, guests, embedded rows, and Postgres changes between a host and a player.

/** Files of the checkout that no other has. */
const QUIZ = 'supabase/migrations/20240412023540_rls.sql'

test('a game of the quiz is hosted, joined, started and answered by two people', async ({ browser }) => {
  const found = findExample(QUIZ)
  test.skip(found === undefined, `no checkout in HOLDFAST_EXAMPLES has ${QUIZ}`)
  if (found === undefined) return
  const folder = join(found, '../../..')
  await using holdfast = await openHoldfast({
    args: [...argumentsOf(join(folder, 'supabase')), '--enable-anonymous-sign-ins'],
  })
  await using example = await runExample({
    folder,
    envFile: '.env.local',
    env: { NEXT_PUBLIC_SUPABASE_URL: holdfast.url, NEXT_PUBLIC_SUPABASE_ANON_KEY: holdfast.anonKey },
    devArgs: (port) => ['-H', '127.0.0.1', '-p', String(port)],
  })
  console.log(`quiz: ${example.versions}`)

  const hosting = await browser.newContext()
  const dashboard = await hosting.newPage()
  await dashboard.goto(`${example.url}/host/dashboard`)
  const opened = hosting.waitForEvent('page')
  await dashboard.getByRole('button', { name: 'Start Game' }).first().click({ timeout: 120_000 })
  const host = await opened
  await host.waitForURL(/\/host\/game\/[0-9a-f-]{36}$/)

  const player = await (await browser.newContext()).newPage()
  const guest = player.waitForResponse((response) => response.url().includes('/auth/v1/signup'))
  await player.goto(host.url().replace('/host/game/', '/game/'))
  expect((await guest).status()).toBe(200)
  await player.getByPlaceholder('Nickname').fill('Lin')
  await player.getByRole('button', { name: 'Join' }).click()
  await expect(player.getByText('Welcome Lin')).toBeVisible()
  await expect(host.getByText('Lin', { exact: true })).toBeVisible()

  await host.getByRole('button', { name: 'Start Game' }).click()
  await expect(host.getByText('What was the original name')).toBeVisible()
  await expect(player.getByText('What was the original name')).toBeVisible()
  await player.getByRole('button', { name: 'Mocha' }).click()
  await expect(player.getByText('Correct', { exact: true })).toBeVisible()
  await expect(host.getByRole('button', { name: 'Next' })).toBeVisible()
  expect(await holdfast.admin.query(sql`select score > 0 as scored from public.answers`)).toEqual([{ scored: true }])
})
