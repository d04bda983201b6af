import { expect, type Locator, type Page } from '@playwright/test'
import { ROOMY_FIELDS } from './actions.ts'

/** The grid of a table as a person uses it: by the names of rows and fields. */
export interface Grid {
  readonly grid: Locator
  row(text: string): Locator
  /** The cell of a field in the row that shows a text. */
  cell(row: string, field: string): Locator
  /** The cell shows a value, whether it has been sent or not. */
  expectCell(row: string, field: string, value: string): Promise<void>
  /**
   * Types over a cell's value, and sees it in the cell at once.
   *
   * @param shown - the text in the cell, if the field's type has another form of the value
   */
  type(row: string, field: string, value: string, shown?: string): Promise<void>
  /** Chooses one of the cell's choices, and sees it in the cell at once. */
  choose(row: string, field: string, choice: string): Promise<void>
}

export function gridOf(page: Page): Grid {
  const grid = page.getByRole('grid')
  const row = (text: string): Locator => grid.getByRole('row').filter({ hasText: text })
  const cell = (text: string, field: string): Locator =>
    row(text).getByRole('gridcell', { name: new RegExp(`^${field}: `) })
  const expectCell = (text: string, field: string, value: string): Promise<void> =>
    expect(row(text).getByRole('gridcell', { name: new RegExp(`^${field}: ${escape(value)}(,|$)`) })).toBeVisible()
  return {
    grid,
    row,
    cell,
    expectCell,
    async type(text, field, value, shown = value) {
      await cell(text, field).dblclick()
      const editor = page.getByRole('textbox', { name: `Edit ${field}` })
      await editor.fill(value)
      await editor.press('Enter')
      await expect(editor).toBeHidden()
      await expectCell(text, field, shown)
    },
    async choose(text, field, choice) {
      await cell(text, field).dblclick()
      await page.getByRole('dialog', { name: field }).getByRole('option', { name: choice, exact: true }).click()
      await expect(page.getByRole('dialog', { name: field })).toBeHidden()
      await expectCell(text, field, choice)
    },
  }
}

/** Address of the actions that a search finds, without the fields that would push the others out of the window. */
export function actionsThat(search: string): string {
  return `?q=${encodeURIComponent(search)}&h=${ROOMY_FIELDS.join(',')}`
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
