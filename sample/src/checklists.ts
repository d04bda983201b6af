import type { Calendar } from './calendar.ts'
import { createId } from './random.ts'
import type { TemplateItemRow, TemplateRow } from './rows.ts'
import {
  sectionItems,
  TEMPLATES,
  type Fault,
  type ItemWords,
  type Section,
  type TemplateWords,
} from './words/checklists.ts'

/** A question and the finding that a bad answer implies. */
export interface Item {
  readonly row: TemplateItemRow
  readonly fault: Fault | undefined
}

export interface Checklist {
  readonly row: TemplateRow
  readonly words: TemplateWords
  readonly items: readonly Item[]
}

/** Generates the templates with their questions. */
export function generateChecklists(seed: number, calendar: Calendar): readonly Checklist[] {
  const born = { created_at: calendar.moment(-420, 600), updated_at: calendar.moment(-420, 600) }
  let itemCount = 0

  return TEMPLATES.map((words, index) => {
    const row = {
      id: createId(seed, 'templates', index),
      name: words.name,
      version: 1 + (index % 3),
      frequency_days: words.frequencyDays,
      active: true,
      ...born,
    }
    const sections: readonly Section[] = ['Arrival', ...words.sections, 'Closing']
    const items = sections
      .flatMap((section) => sectionItems(section).map((item) => ({ section, item })))
      .map(({ section, item }, position) => ({
        row: itemRow({
          id: createId(seed, 'template_items', itemCount++),
          templateId: row.id,
          position,
          section,
          item,
          born,
        }),
        fault: item.fault,
      }))
    return { row, words, items }
  })
}

function itemRow(input: {
  readonly id: string
  readonly templateId: string
  readonly position: number
  readonly section: Section
  readonly item: ItemWords
  readonly born: Pick<TemplateItemRow, 'created_at' | 'updated_at'>
}): TemplateItemRow {
  const { item } = input
  return {
    id: input.id,
    template_id: input.templateId,
    position: input.position + 1,
    section: input.section,
    prompt: item.prompt,
    kind: item.kind,
    required: item.required ?? true,
    unit: item.unit || null,
    min: item.min ?? null,
    max: item.max ?? null,
    choices: item.choices ?? null,
    finding_when: item.fault?.when ?? null,
    ...input.born,
  }
}
