import type { Page } from '@playwright/test'
import { LABEL, numberOf, STATES, VIEWS, WORD } from './app-data.ts'
import { interactionsOf, rowsAfter } from './app-probes.ts'

/** Durations of common interactions, by name. Each interaction starts and ends at the grid with all rows. */
export interface Interactions {
  /** Milliseconds of each key press and click, by interaction. */
  readonly pressMs: ReadonlyMap<string, readonly number[]>
  /** Milliseconds from the last key press or click until other rows are shown, by interaction. */
  readonly rowsMs: ReadonlyMap<string, readonly number[]>
}

const KEYS_DOWN = 10
const PAGES_DOWN = 5

/**
 * Repeats all interactions `rounds` times in the grid of a table that is open on a phone.
 *
 * @param isTimed - also measure until rows are shown; on a fast page they can appear before the last key press, and waiting for them would never end
 */
export async function interact(page: Page, rounds: number, isTimed = true): Promise<Interactions> {
  const pressMs = new Map<string, number[]>()
  const rowsMs = new Map<string, number[]>()
  const press = async (name: string, body: () => Promise<void>): Promise<void> => {
    pressMs.set(name, [...(pressMs.get(name) ?? []), ...(await interactionsOf(page, body))])
  }
  const rows = async (name: string, body: () => Promise<void>): Promise<void> => {
    if (!isTimed) return body()
    rowsMs.set(name, [...(rowsMs.get(name) ?? []), await rowsAfter(page, body)])
  }
  for (let round = 0; round < rounds; round++) {
    await press('open a record', () => openRecord(page, round))
    await press('type in a cell', () => typeInCell(page, round))
    await press('scroll by keyboard', () => scrollByKeys(page))
    await press('open the palette and type', () => usePalette(page))
    await press('sort', async () => {
      await rows('sort by a field with an index', () => sort(page))
      await sort(page)
      await sort(page)
    })
    await press('filter', async () => {
      await openFilter(page)
      await rows('filter by one choice', () => chooseState(page))
      await closeFilter(page)
    })
    await press('search', async () => {
      await rows('search for a number, after its last key', () => search(page, numberOf(100 + round)))
      await rows('search taken back', () => page.keyboard.press('Escape'))
      await rows('search for a word that a tenth of them has', () => page.keyboard.insertText(WORD))
      await rows('search taken back', () => page.keyboard.press('Escape'))
    })
    await press('switch the view', async () => {
      await rows('switch to a view with a filter and an order', () => openView(page, VIEWS.overdue))
      await rows('switch to a view whose columns calculate', () => openView(page, VIEWS.hours))
      await openView(page, `All ${LABEL.toLowerCase()}`)
    })
  }
  return { pressMs, rowsMs }
}

/** Types into a cell of the plain page that the app is compared with. */
export async function typeInPlainCell(page: Page, round: number): Promise<readonly number[]> {
  return interactionsOf(page, async () => {
    await page.locator('td').nth(round).tap()
    await page.keyboard.type('Replaced ', { delay: KEY_MS })
  })
}

/** Milliseconds between key presses of a fast typist. */
const KEY_MS = 60

async function openRecord(page: Page, round: number): Promise<void> {
  await page.locator(`[role=row][data-row="${2 + (round % 3)}"] [data-open]`).tap()
  await page.getByRole('textbox', { name: 'Title' }).waitFor()
  await page.goBack()
  await page.getByRole('textbox', { name: 'Title' }).waitFor({ state: 'detached' })
}

async function typeInCell(page: Page, round: number): Promise<void> {
  const cell = page.locator(`[role=row][data-row="${1 + (round % 5)}"] [data-column="0"]`)
  await cell.tap()
  await page.keyboard.press('Enter')
  const editor = page.getByRole('textbox', { name: 'Edit Title' })
  await editor.waitFor()
  await page.keyboard.type(`Replaced ${round}`, { delay: KEY_MS })
  await page.keyboard.press('Enter')
  await editor.waitFor({ state: 'detached' })
}

async function scrollByKeys(page: Page): Promise<void> {
  for (let key = 0; key < KEYS_DOWN; key++) await page.keyboard.press('ArrowDown', { delay: KEY_MS })
  for (let key = 0; key < PAGES_DOWN; key++) await page.keyboard.press('PageDown', { delay: KEY_MS })
  await page.keyboard.press('Control+Home')
}

async function usePalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search and commands' })
  await palette.waitFor()
  await page.keyboard.type(WORD, { delay: KEY_MS })
  await palette.getByRole('menuitem').first().waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
}

/** Taps the column header, which cycles through ascending, descending and unsorted. */
async function sort(page: Page): Promise<void> {
  await page
    .getByRole('columnheader')
    .getByRole('button', { name: /ort(ing)? by Due/ })
    .tap()
}

async function openFilter(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Filter/ }).tap()
  await page.getByRole('dialog', { name: 'Filter' }).getByRole('button', { name: 'Add a condition' }).tap()
  await page.getByRole('checkbox', { name: STATES.other }).waitFor()
}

async function chooseState(page: Page): Promise<void> {
  await page.getByRole('dialog', { name: 'Filter' }).getByText(STATES.other, { exact: true }).tap()
}

async function closeFilter(page: Page): Promise<void> {
  const filter = page.getByRole('dialog', { name: 'Filter' })
  await filter.getByRole('button', { name: 'Clear filters' }).tap()
  await page.keyboard.press('Escape')
  await filter.waitFor({ state: 'detached' })
}

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox', { name: `Search in ${LABEL}` }).tap()
  await page.keyboard.type(text, { delay: KEY_MS })
}

async function openView(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: /^View: / }).tap()
  await page
    .getByRole('dialog', { name: `Views of ${LABEL}` })
    .getByRole('link', { name })
    .tap()
  await page.getByRole('button', { name: `View: ${name}` }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}
