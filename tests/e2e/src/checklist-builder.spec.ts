import { sql } from '@holdfast/postgres'
import { openHoldfast } from '@holdfast/test-support'
import { expect, type Page, test } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { signIn } from './support/person.ts'
import { takePicture } from './support/photos.ts'
import { openStranger } from './support/stranger.ts'

/* An owner adds a checklist to a table without SQL, and fills it in on a phone without a connection. */

const SYNCED = { timeout: 60_000 }
const DEFINITION = {
  name: 'visits',
  label: 'Visits',
  access: { kind: 'members' },
  fields: [{ name: 'title', label: 'Title', kind: 'text' }],
}
const prompts = (page: Page) => page.getByRole('textbox', { name: /^Question \d+$/ })

test('an owner builds a checklist, and a failed answer on an offline phone makes a finding', async ({ browser }) => {
  await using server = await openHoldfast()
  await using olga = await openStranger(browser, server)
  await olga.withAccount()
  const [made] = await server.admin.query<{ id: string }>(
    sql`select holdfast.create_workspace('Water', ${olga.email}) as id`,
  )
  const client = (await server.supabase({ email: olga.email, password: olga.password })).schema('holdfast')
  await client.rpc('create_table', { workspace: made?.id, definition: DEFINITION })
  const { page } = olga

  await test.step('the checklist is added from the menu of the table', async () => {
    await page.goto('/sign-in')
    await signIn(page, olga.email, olga.password)
    await page.getByRole('link', { name: /^Visits/ }).click(SYNCED)
    await page.getByRole('button', { name: 'Table menu of Visits' }).click(SYNCED)
    await page.getByRole('menuitem', { name: 'Checklists' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Fire walk')
    await page.getByRole('button', { name: 'Details' }).click()
    await expect(page.getByText(/create table public.visits_questions/)).toBeVisible()
    await expectAccessible(page, 'adding a checklist')
    await page.getByRole('button', { name: 'Add checklist' }).click()
  })

  await test.step('questions are pasted, moved, limited and published', async () => {
    await page.getByRole('button', { name: 'Paste a list' }).click(SYNCED)
    await page.getByRole('textbox', { name: 'One question per line' }).fill('Inside:\n1. Exit clear?\n2. Pressure')
    await page.getByRole('button', { name: 'Add 2 questions' }).click()
    await page.getByRole('button', { name: 'Answer type of question 2' }).click()
    await page.getByRole('option', { name: 'Number' }).click()
    await page.getByRole('textbox', { name: 'Maximum' }).fill('4')
    await page.getByRole('checkbox', { name: 'Outside the limits' }).check({ force: true })
    for (const [place, prompt, kind] of [
      [3, 'The door', 'Photo'],
      [4, 'Responsible', 'Signature'],
    ] as const) {
      await page.getByRole('button', { name: 'Add question' }).click()
      await page.getByRole('textbox', { name: `Question ${place}` }).fill(prompt)
      await page.getByRole('button', { name: `Answer type of question ${place}` }).click()
      await page.getByRole('option', { name: kind }).click()
    }
    await page.getByRole('button', { name: 'Move Pressure' }).press('ArrowUp')
    await expect(prompts(page).first()).toHaveValue('Pressure')
    await expectAccessible(page, 'the builder')
    await page.getByRole('button', { name: 'Publish' }).click()
    await expect(page.getByText('Fire walk published')).toBeVisible()
  })

  await test.step('it is filled in on a phone without a connection', async () => {
    olga.problems.expectCutLine()
    const picture = await takePicture(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('link', { name: 'All checklists' }).click()
    await page.getByRole('link', { name: 'Fill in' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill('Depot')
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Begin' }).click()
    await page.getByRole('textbox', { name: 'Pressure' }).fill('9')
    await page.getByRole('button', { name: 'Add finding' }).click()
    await page.getByRole('button', { name: 'Save finding' }).click()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('Yes', { exact: true }).click()
    await page.getByRole('button', { name: 'Save & next' }).click()
    await page.getByRole('button', { name: 'Skip' }).click()
    await page.getByRole('button', { name: 'Skip' }).click()
    await expect(page.getByRole('button', { name: 'Finish' })).toBeDisabled()
    await page.getByRole('button', { name: 'The door A photo is required' }).click()
    await page.getByTestId('capture-photo').setInputFiles(picture)
    await expect(page.getByText('1 photo on this device')).toBeVisible()
    await page.getByRole('button', { name: 'Next' }).click()
    await expectAccessible(page, 'a signature question')
    await page.getByRole('textbox', { name: 'Name' }).fill('Olga')
    await page.getByRole('button', { name: 'Save signature' }).click()
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('button', { name: 'Finish' }).click()
    await page.context().setOffline(false)
    const finished = (): Promise<readonly object[]> =>
      server.admin.query(sql`
        select v.title, v.checklist_state as state, f.title as finding, a.value_num as value, a.version
          from public.visits v join public.visits_answers a on a.record = v.id and a.value_num is not null
          join public.visits_findings f on f.answer = a.id`)
    await expect
      .poll(finished, SYNCED)
      .toEqual([{ title: 'Depot', state: 'Finished', finding: 'Pressure 9', value: '9', version: '1' }])
    const files = (): Promise<readonly object[]> =>
      server.admin.query(sql`
        select q.prompt, a.value_text as names from public.visits_files f
          join public.visits_questions q on q.id = f.field::uuid join public.visits_answers a on a.question = q.id
         where f.uploaded_at is not null order by q.prompt desc`)
    await expect.poll(files, SYNCED).toEqual([
      { prompt: 'The door', names: 'IMG_0042.jpg' },
      { prompt: 'Responsible', names: 'Olga' },
    ])
  })

  await test.step('the record shows and prints the answers, which stay as they are', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    const [{ id } = { id: '' }] = await server.admin.query<{ id: string }>(sql`select id from public.visits`)
    const record = page.url().replace(/\/w\/([^/]+)\/.*/, `/w/$1/t/visits/r/${id}`)
    await page.goto(record)
    await page.getByRole('tab', { name: 'Checklist' }).click()
    await expect(page.getByRole('img', { name: 'Olga' })).toBeVisible()
    await expectAccessible(page, 'the answers of a checklist')
    await page.getByRole('link', { name: 'Open the checklist' }).click()
    await expect(page.getByText('This checklist is finished')).toBeVisible()
    await page.goto(record.replace(/\/r\/.*/, `/print?record=${id}`))
    await expect(page.getByRole('img', { name: 'Olga' })).toBeVisible(SYNCED)
    await expect(page.getByRole('img', { name: 'IMG_0042.jpg' })).toBeVisible(SYNCED)
    await page.goto(record)
  })

  await test.step('the records are shared as a page, which a visitor reads until the link is revoked', async () => {
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.getByRole('link', { name: /^Visits \d/ }).click()
    await page.getByRole('button', { name: 'View: All visits' }).click()
    await page.getByRole('button', { name: 'Share as a page' }).click()
    await expect(page.getByRole('checkbox', { name: 'Title' })).toBeChecked()
    await expectAccessible(page, 'sharing a page')
    await page.getByRole('button', { name: 'Create link' }).click()
    const address = await page.getByRole('textbox', { name: 'Link' }).inputValue(SYNCED)
    await using visitor = await openStranger(browser, server)
    await visitor.page.goto(new URL(address).pathname)
    await expect(visitor.page.getByRole('cell', { name: 'Depot' })).toBeVisible()
    await expectAccessible(visitor.page, 'a shared page')
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'View: All visits' }).click()
    await page.getByRole('button', { name: 'Share as a page' }).click()
    await page.getByRole('button', { name: 'Revoke the link of Visits' }).click(SYNCED)
    await expect(page.getByText('Link revoked')).toBeVisible()
    expect((await visitor.page.reload())?.status()).toBe(410)
  })
})
