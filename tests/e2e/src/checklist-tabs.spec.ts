import type { Page } from '@playwright/test'
import { findItem, findVisit, goTo, type Item } from './support/checklists.ts'
import { expect, test } from './support/fixtures.ts'

test('two tabs with the same checklist keep what is answered in either, and show it', async ({ arrive, holdfast }) => {
  const visit = await findVisit(holdfast)
  const [yesNo, reading] = [await findItem(holdfast, visit, 'yes_no'), await findItem(holdfast, visit, 'reading')]
  const mina = await arrive('mina', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const { page } = mina
  const tab = await mina.newTab()
  const typed = String(reading.max + 1)
  for (const one of [page, tab]) {
    await one.goto(`${mina.home}/t/inspections/new?from=${visit.id}`)
    await expect(one.getByRole('heading', { level: 1, name: visit.template })).toBeVisible()
  }
  await turnTo(page, reading)
  await page.getByRole('textbox', { name: reading.prompt }).fill(typed)
  await turnTo(tab, yesNo)
  await tab.getByRole('radio', { name: 'No', exact: true }).tap()
  await expect(page.getByRole('textbox', { name: reading.prompt })).toHaveValue(typed)
  await turnTo(page, yesNo)
  await expect(page.getByRole('radio', { name: 'No', exact: true })).toBeChecked()
  await turnTo(tab, reading)
  await expect(tab.getByRole('textbox', { name: reading.prompt })).toHaveValue(typed)

  await test.step('what one saves is no draft in the other', async () => {
    await tab.getByRole('button', { name: 'Save & next' }).tap()
    await turnTo(page, reading)
    await expect(page.getByRole('textbox', { name: reading.prompt })).toHaveValue(typed)
    await expect(page.getByRole('button', { name: 'Next', exact: true })).toBeVisible()
  })

  await test.step('the other answer is there after a cold start', async () => {
    await page.reload()
    await turnTo(page, yesNo)
    await expect(page.getByRole('radio', { name: 'No', exact: true })).toBeChecked()
  })

  await test.step('an answer that is emptied is cleared when it is saved, and is none any more', async () => {
    const progress = page.getByRole('progressbar', { name: 'Questions answered' })
    await expect(progress).toHaveAttribute('aria-valuetext', /^1 of /)
    await turnTo(page, reading)
    await page.getByRole('textbox', { name: reading.prompt }).fill('')
    await page.getByRole('button', { name: 'Save & next' }).tap()
    await expect(progress).toHaveAttribute('aria-valuetext', /^0 of /)
    await turnTo(page, reading)
    await expect(page.getByRole('textbox', { name: reading.prompt })).toHaveValue('')
    const supabase = await mina.supabase()
    await expect
      .poll(async () => {
        const { data } = await supabase
          .from('answers')
          .select('value_num')
          .eq('inspection_id', visit.id)
          .eq('template_item_id', reading.id)
        return data
      })
      .toEqual([{ value_num: null }])
  })
})

/** Goes to a question in the tab that the user looks at from now on: the browser draws the others once a second. */
async function turnTo(page: Page, item: Item): Promise<void> {
  await page.bringToFront()
  await goTo(page, item)
}
