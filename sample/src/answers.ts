import { assert, defined } from '@holdfast/foundation'
import type { Calendar } from './calendar.ts'
import type { Item } from './checklists.ts'
import type { BadAnswer, Visit } from './visit.ts'
import { round } from './network.ts'
import { createId, createRandom, type Random } from './random.ts'
import type { AnswerRow, TemplateItemRow } from './rows.ts'
import { SIZES } from './sizes.ts'
import { TEXT_ANSWERS } from './words/remarks.ts'

/** Number of answers that each lead to a finding. */
export const BAD_ANSWERS = 2_700

interface Slot {
  readonly visit: Visit
  readonly item: Item
}

/**
 * Everything that a submitted inspection must answer, and as many optional questions as make the number of answers full. Which of them are bad is
 * drawn from all, so that their number is exact too.
 */
export function generateAnswers(input: {
  readonly seed: number
  readonly calendar: Calendar
  readonly visits: readonly Visit[]
}): {
  readonly answers: readonly AnswerRow[]
  readonly badAnswers: readonly BadAnswer[]
} {
  const { seed, calendar, visits } = input
  const random = createRandom(seed, 'answers')
  const slots = chooseSlots(random, visits)
  const faulty = slots.filter(({ item }) => item.fault)
  const bad = new Set(random.shuffle(faulty).slice(0, BAD_ANSWERS))
  const badAnswers: BadAnswer[] = []

  const answers = slots.map((slot, index): AnswerRow => {
    const { visit, item } = slot
    const id = createId(seed, 'answers', index)
    if (bad.has(slot)) badAnswers.push({ answerId: id, visit, item })
    const at = calendar.moment(visit.day, visit.startMinute + item.row.position * 3)
    return {
      id,
      inspection_id: visit.id,
      template_item_id: item.row.id,
      ...answerValue(random, item, bad.has(slot)),
      limit_min: item.row.min,
      limit_max: item.row.max,
      created_by: visit.assignee.user_id,
      created_at: at,
      updated_at: at,
    }
  })
  return { answers, badAnswers }
}

function chooseSlots(random: Random, visits: readonly Visit[]): readonly Slot[] {
  const isComplete = (visit: Visit): boolean => ['approved', 'submitted', 'returned'].includes(visit.state)
  const slots = visits.flatMap((visit) => {
    const { items } = visit.checklist
    if (isComplete(visit)) return items.map((item) => ({ visit, item }))
    if (visit.state === 'in_progress')
      return items.slice(0, Math.ceil(items.length / 2)).map((item) => ({ visit, item }))
    return []
  })
  const optional = random.shuffle(slots.filter(({ item }) => !item.row.required))
  const surplus = slots.length - SIZES.answers
  assert(surplus >= 0 && surplus <= optional.length, `the optional questions make up for ${surplus} answers`)
  const skipped = new Set(optional.slice(0, surplus))
  return slots.filter((slot) => !skipped.has(slot))
}

type Value = Pick<AnswerRow, 'value_bool' | 'value_num' | 'value_text' | 'value_choice'>

const NO_VALUE: Value = { value_bool: null, value_num: null, value_text: null, value_choice: null }

function answerValue(random: Random, { row, fault }: Item, isBad: boolean): Value {
  switch (row.kind) {
    case 'yes_no':
      return { ...NO_VALUE, value_bool: (fault?.when === 'yes') === isBad }
    case 'reading':
      return { ...NO_VALUE, value_num: readingValue(random, row, isBad) }
    case 'choice': {
      const good = (row.choices ?? []).filter((choice) => choice !== fault?.when)
      // Most things are in their best state.
      return {
        ...NO_VALUE,
        value_choice: isBad && fault ? fault.when : random.chance(0.6) ? (good[0] ?? null) : random.pick(good),
      }
    }
    case 'text':
      return { ...NO_VALUE, value_text: random.pick(TEXT_ANSWERS) }
    case 'photo':
      return { ...NO_VALUE, value_text: 'Photo taken.' }
  }
}

function readingValue(random: Random, row: TemplateItemRow, isBad: boolean): number {
  const min = defined(row.min, 'a reading has a lowest value')
  const max = defined(row.max, 'a reading has a highest value')
  const span = max - min
  if (!isBad) return round(min + span * (0.1 + 0.8 * random.fraction()), 2)
  return round(max + span * (0.05 + 0.5 * random.fraction()), 2)
}
