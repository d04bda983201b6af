import { assert } from '@holdfast/foundation'
import { generateAnswers } from './answers.ts'
import type { Calendar } from './calendar.ts'
import type { Checklist } from './checklists.ts'
import { round, type Network } from './network.ts'
import { createId, createRandom, type Random } from './random.ts'
import type { AnswerRow, InspectionRow, InspectionState, SiteRow } from './rows.ts'
import { SIZES } from './sizes.ts'
import type { SiteStaff } from './staff.ts'
import type { BadAnswer, Visit } from './visit.ts'
import { WEATHERS } from './words/remarks.ts'

export interface Inspections {
  readonly visits: readonly Visit[]
  readonly inspections: readonly InspectionRow[]
  readonly answers: readonly AnswerRow[]
  readonly badAnswers: readonly BadAnswer[]
}

/** Days of a state, from and to, both included. The counts add up to all inspections. */
const STATES: readonly {
  readonly state: InspectionState
  readonly count: number
  readonly from: number
  readonly to: number
}[] = [
  { state: 'approved', count: 1_180, from: -400, to: -4 },
  { state: 'cancelled', count: 20, from: -380, to: -2 },
  { state: 'submitted', count: 42, from: -6, to: -1 },
  { state: 'returned', count: 18, from: -9, to: -2 },
  { state: 'in_progress', count: 45, from: -2, to: -1 },
  { state: 'scheduled', count: 145, from: -5, to: 45 },
]

/** Before this day, sites that are now closed were still operating. */
const DECOMMISSIONED_BEFORE_DAY = -220

/** Generates the inspections in chronological order, with their answers. */
export function generateInspections(input: {
  readonly seed: number
  readonly calendar: Calendar
  readonly network: Network
  readonly checklists: readonly Checklist[]
  readonly staffOf: (site: SiteRow) => SiteStaff
}): Inspections {
  const { seed, calendar } = input
  const visits = planVisits(input)
  const { answers, badAnswers } = generateAnswers({ seed, calendar, visits })
  const tally = new Map<string, { answered: number; bad: number }>()
  const count = (inspectionId: string, kind: 'answered' | 'bad'): void => {
    const entry = tally.get(inspectionId) ?? { answered: 0, bad: 0 }
    entry[kind]++
    tally.set(inspectionId, entry)
  }
  for (const answer of answers) count(answer.inspection_id, 'answered')
  for (const bad of badAnswers) count(bad.visit.id, 'bad')

  const inspections = visits.map((visit, index): InspectionRow => {
    const { answered, bad } = tally.get(visit.id) ?? { answered: 0, bad: 0 }
    const isStarted = visit.state !== 'scheduled' && visit.state !== 'cancelled'
    const isSubmitted = isStarted && visit.state !== 'in_progress'
    const isReviewed = visit.state === 'approved' || visit.state === 'returned'
    const startedAt = calendar.moment(visit.day, visit.startMinute)
    const submittedAt = calendar.moment(visit.day, visit.startMinute + 20 + answered * 3)
    const createdAt = calendar.moment(Math.min(visit.day - 14, -1), 420)
    const reviewedAt = calendar.moment(Math.min(visit.day + 2, 0), 900)
    return {
      id: visit.id,
      number: `INS-${String(index + 1).padStart(5, '0')}`,
      site_id: visit.site.id,
      asset_id: visit.asset?.id ?? null,
      template_id: visit.checklist.row.id,
      team_id: visit.staff.team.id,
      assignee_id: visit.assignee.id,
      reviewer_id: isReviewed ? visit.staff.lead.id : null,
      state: visit.state,
      scheduled_on: calendar.day(visit.day),
      started_at: isStarted ? startedAt : null,
      submitted_at: isSubmitted ? submittedAt : null,
      weather: isStarted ? visit.weather : null,
      score: isSubmitted ? round(100 - (100 * bad) / answered, 1) : null,
      created_by: visit.staff.lead.user_id,
      created_at: createdAt,
      updated_at: isReviewed ? reviewedAt : isSubmitted ? submittedAt : isStarted ? startedAt : createdAt,
    }
  })
  return { visits, inspections, answers, badAnswers }
}

function planVisits(input: {
  readonly seed: number
  readonly network: Network
  readonly checklists: readonly Checklist[]
  readonly staffOf: (site: SiteRow) => SiteStaff
}): Visit[] {
  const { seed, network, staffOf } = input
  const random = createRandom(seed, 'inspections')
  const checklists = random.shuffle(
    input.checklists.flatMap((checklist) => Array.from({ length: checklist.words.inspections }, () => checklist)),
  )
  const slots = STATES.flatMap(({ state, count, from, to }) =>
    Array.from({ length: count }, () => ({ state, day: random.integer(from, to) })),
  ).sort((left, right) => left.day - right.day)
  assert(
    slots.length === SIZES.inspections && checklists.length === slots.length,
    'states and templates add up to all inspections',
  )

  return slots.map(({ state, day }, index) => {
    const checklist = checklists[index] as Checklist
    const site = pickSite({ random, network, checklist, state, day })
    const staff = staffOf(site)
    const { assetKind } = checklist.words
    const assets = assetKind ? network.assets.filter((one) => one.site_id === site.id && one.kind === assetKind) : []
    return {
      id: createId(seed, 'inspections', index),
      state,
      day,
      startMinute: random.integer(7 * 60, 15 * 60),
      checklist,
      site,
      asset: assets.length > 0 ? random.pick(assets) : undefined,
      staff,
      assignee: random.pick(staff.members),
      weather: random.pick(WEATHERS),
    }
  })
}

function pickSite(input: {
  readonly random: Random
  readonly network: Network
  readonly checklist: Checklist
  readonly state: InspectionState
  readonly day: number
}): SiteRow {
  const { random, network, checklist, state, day } = input
  const mayBeClosed = state === 'approved' && day < DECOMMISSIONED_BEFORE_DAY
  return random.pick(
    network.sites.filter(
      (site) => checklist.words.siteKinds.includes(site.kind) && (mayBeClosed || site.status !== 'decommissioned'),
    ),
  )
}
