import { assert, defined } from '@holdfast/foundation'
import type { Calendar } from './calendar.ts'
import type { Inspections } from './inspections.ts'
import type { Visit } from './visit.ts'
import { round, type Network } from './network.ts'
import { createId, createRandom, type Random } from './random.ts'
import type { FindingRow, FindingState, PersonRow, Severity, SiteRow } from './rows.ts'
import { SIZES } from './sizes.ts'
import type { SiteStaff } from './staff.ts'
import { FINDING_DETAILS, OBSERVATIONS } from './words/remarks.ts'

/** A planned finding, before its actions. */
export interface Defect {
  readonly id: string
  readonly day: number
  readonly minute: number
  readonly site: SiteRow
  readonly staff: SiteStaff
  readonly finder: PersonRow
  readonly visit: Visit | undefined
  readonly answerId: string | undefined
  readonly title: string
  readonly actionTitle: string
  readonly severity: Severity
  /** The earlier finding of the same defect at the same site. */
  readonly original: Defect | undefined
}

/** Number of findings without an inspection. */
const LOOSE_FINDINGS = 70
const DUPLICATES_MAX = 60

type Draft = Omit<Defect, 'id' | 'original'>

/** What was found, in the order of time: for each bad answer, beside the questions, and in passing. */
export function planDefects(input: {
  readonly seed: number
  readonly network: Network
  readonly inspections: Inspections
  readonly staffOf: (site: SiteRow) => SiteStaff
}): readonly Defect[] {
  const { seed, network, inspections, staffOf } = input
  const random = createRandom(seed, 'findings')
  const drafts: Draft[] = inspections.badAnswers.map(({ answerId, visit, item }) => {
    const fault = defined(item.fault, 'a bad answer has a fault')
    return {
      ...placeOf(visit),
      minute: visit.startMinute + item.row.position * 3 + 1,
      answerId,
      title: fault.finding,
      actionTitle: fault.action,
      severity: fault.severity,
    }
  })
  const finished = inspections.visits.filter((visit) => visit.state === 'approved' || visit.state === 'submitted')
  while (drafts.length < SIZES.findings - LOOSE_FINDINGS) {
    const visit = random.pick(finished)
    drafts.push({ ...placeOf(visit), ...observation(random), minute: visit.startMinute + 15, answerId: undefined })
  }
  const openSites = network.sites.filter((site) => site.status !== 'decommissioned')
  while (drafts.length < SIZES.findings) {
    const site = random.pick(openSites)
    const staff = staffOf(site)
    const place = { site, staff, finder: random.pick(staff.members), visit: undefined, answerId: undefined }
    drafts.push({ ...place, ...observation(random), day: random.integer(-300, -1), minute: random.integer(480, 960) })
  }
  assert(drafts.length === SIZES.findings, 'bad answers leave room for observations')
  return markDuplicates(
    seed,
    drafts.sort((left, right) => left.day - right.day || left.minute - right.minute),
  )
}

function placeOf(visit: Visit): Pick<Defect, 'visit' | 'site' | 'staff' | 'finder' | 'day'> {
  return { visit, site: visit.site, staff: visit.staff, finder: visit.assignee, day: visit.day }
}

function observation(random: Random): Pick<Defect, 'title' | 'actionTitle' | 'severity'> {
  const [title, actionTitle, severity] = random.pick(OBSERVATIONS)
  return { title, actionTitle, severity }
}

function markDuplicates(seed: number, drafts: readonly Draft[]): Defect[] {
  const latest = new Map<string, Defect>()
  let duplicates = 0
  return drafts.map((draft, index) => {
    const what = `${draft.site.id} ${draft.title}`
    const before = latest.get(what)
    const isDuplicate =
      before !== undefined && duplicates < DUPLICATES_MAX && index % 3 === 0 && draft.day - before.day < 60
    const defect = { ...draft, id: createId(seed, 'findings', index), original: isDuplicate ? before : undefined }
    if (isDuplicate) duplicates++
    else latest.set(what, defect)
    return defect
  })
}

/** Renders the rows, given the state of each finding's actions. */
export function renderFindings(input: {
  readonly seed: number
  readonly calendar: Calendar
  readonly defects: readonly Defect[]
  readonly stateOf: (defect: Defect) => FindingState
}): readonly FindingRow[] {
  const { seed, calendar, defects, stateOf } = input
  const random = createRandom(seed, 'finding rows')
  return defects.map((defect, index) => {
    const state = stateOf(defect)
    const createdAt = calendar.moment(defect.day, defect.minute)
    return {
      id: defect.id,
      number: `FND-${String(index + 1).padStart(5, '0')}`,
      inspection_id: defect.visit?.id ?? null,
      site_id: defect.site.id,
      asset_id: defect.visit?.asset?.id ?? null,
      answer_id: defect.answerId ?? null,
      duplicate_of: defect.original?.id ?? null,
      title: defect.title,
      detail: random.pick(FINDING_DETAILS),
      severity: defect.severity,
      state,
      lat: round(defect.site.lat + (random.fraction() - 0.5) * 0.001, 6),
      lon: round(defect.site.lon + (random.fraction() - 0.5) * 0.001, 6),
      created_by: defect.finder.user_id,
      created_at: createdAt,
      updated_at: state === 'open' ? createdAt : calendar.moment(Math.min(defect.day + random.integer(1, 30), 0), 840),
    }
  })
}
