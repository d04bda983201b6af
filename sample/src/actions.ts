import { assert, defined } from '@holdfast/foundation'
import type { Calendar } from './calendar.ts'
import type { Defect } from './findings.ts'
import { createId, createRandom, type Random } from './random.ts'
import type { ActionRow, ActionState, ContractorRow, FindingState, PersonRow } from './rows.ts'
import { NORTH_OVERDUE_ACTIONS, NORTH_OVERDUE_ACTIONS_OF_SAM, SIZES } from './sizes.ts'
import { ACTION_DETAILS, BLOCKED_REASONS } from './words/remarks.ts'

/** A planned action. */
export interface Task {
  readonly id: string
  readonly defect: Defect
  /** Days from today. */
  readonly day: number
  readonly dueDay: number
  readonly state: ActionState
  readonly priority: number
  readonly title: string
  readonly owner: PersonRow
  readonly contractor: ContractorRow | undefined
}

/** Number of findings with an action. The first of them get the remaining actions as second ones. */
const FINDINGS_WITH_ACTION = 2_200
const CONTRACTED_SHARE = 0.25
/** Actions of the North fall due this many days away from today at least, so that the count of overdue ones holds for a week. */
const NORTH_QUIET_DAYS = 8
const PRIORITIES = { critical: 1, high: 2, medium: 3, low: 4 } as const
const DAYS_BY_PRIORITY = [0, 5, 14, 30, 60] as const

type Draft = Omit<Task, 'id' | 'dueDay' | 'contractor'>

/** Plans the actions that follow from the findings, in chronological order. */
export function planTasks(input: {
  readonly seed: number
  readonly defects: readonly Defect[]
  readonly samsContractor: ContractorRow
}): readonly Task[] {
  const { seed, samsContractor } = input
  const random = createRandom(seed, 'actions')
  const eligible = random.shuffle(input.defects.filter((defect) => !defect.original))
  const withAction = eligible.slice(0, FINDINGS_WITH_ACTION)
  const secondOnes = withAction.slice(0, SIZES.actions - FINDINGS_WITH_ACTION)
  const drafts = [
    ...withAction.map((defect) => draftTask(random, defect, false)),
    ...secondOnes.map((defect) => draftTask(random, defect, true)),
  ]
  assert(drafts.length === SIZES.actions, 'there are findings enough for all actions')

  const overdueNorth = pickOverdueNorth(random, drafts)
  return drafts
    .map((draft): Omit<Task, 'id'> => {
      const rank = overdueNorth.get(draft)
      return {
        ...draft,
        dueDay: dueDay(random, draft, rank),
        contractor: contractorOf(random, draft, rank, samsContractor),
      }
    })
    .sort((left, right) => left.day - right.day)
    .map((task, index) => ({ id: createId(seed, 'actions', index), ...task }))
}

function draftTask(random: Random, defect: Defect, isSecond: boolean): Draft {
  const { staff } = defect
  const day = Math.min(defect.day + random.integer(0, 2), 0)
  return {
    defect,
    day,
    state: taskState(random, defect, -day),
    priority: PRIORITIES[defect.severity],
    title: isSecond ? `Check after repair: ${defect.title.toLowerCase()}` : defect.actionTitle,
    owner: random.pick(staff.members),
  }
}

function taskState(random: Random, defect: Defect, age: number): ActionState {
  const unfinished = age < 14 ? 0.85 : age < 45 ? 0.7 : age < 90 ? 0.35 : age < 150 ? 0.08 : 0
  if (defect.site.status === 'decommissioned' || !random.chance(unfinished))
    return random.chance(0.04) ? 'dropped' : 'verified'
  return random.pick([
    'open',
    'open',
    'open',
    'open',
    'doing',
    'doing',
    'doing',
    'blocked',
    'to_verify',
    'to_verify',
  ] as const)
}

function isUnfinished({ state }: Draft): boolean {
  return state !== 'verified' && state !== 'dropped'
}

/** Ranks from 0 for the ones that are overdue in the North: exactly as many as the front page promises. */
function pickOverdueNorth(random: Random, drafts: readonly Draft[]): ReadonlyMap<Draft, number> {
  const candidates = drafts.filter(
    (draft) =>
      draft.defect.staff.area === 'N' && isUnfinished(draft) && draft.state !== 'to_verify' && draft.day <= -14,
  )
  assert(
    candidates.length >= NORTH_OVERDUE_ACTIONS,
    `the North has ${candidates.length} candidates for overdue actions`,
  )
  return new Map(
    random
      .shuffle(candidates)
      .slice(0, NORTH_OVERDUE_ACTIONS)
      .map((draft, rank) => [draft, rank]),
  )
}

function dueDay(random: Random, draft: Draft, overdueRank: number | undefined): number {
  if (overdueRank !== undefined) return -random.integer(3, Math.min(-draft.day - 8, 40))
  const planned = draft.day + (DAYS_BY_PRIORITY[draft.priority] ?? 30) + random.integer(0, 6)
  if (!isUnfinished(draft)) return planned
  if (draft.defect.staff.area === 'N') return NORTH_QUIET_DAYS + random.integer(0, 40)
  // Elsewhere a quarter of the unfinished work is overdue.
  if (draft.day <= -10 && random.chance(0.25)) return -random.integer(1, Math.min(-draft.day - 5, 30))
  return Math.max(planned, random.integer(1, 30))
}

function contractorOf(
  random: Random,
  { defect }: Draft,
  overdueRank: number | undefined,
  samsContractor: ContractorRow,
): ContractorRow | undefined {
  const { contractors } = defect.staff
  if (overdueRank === undefined) return random.chance(CONTRACTED_SHARE) ? random.pick(contractors) : undefined
  if (overdueRank < NORTH_OVERDUE_ACTIONS_OF_SAM) return samsContractor
  return overdueRank % 3 === 0 ? random.pick(contractors.filter((one) => one.id !== samsContractor.id)) : undefined
}

/** Derives the state of findings from their actions: closed only if all are verified or dropped. */
export function createFindingStates(seed: number, tasks: readonly Task[]): (defect: Defect) => FindingState {
  const random = createRandom(seed, 'finding states')
  const byDefect = Map.groupBy(tasks, (task) => task.defect)

  return (defect) => {
    if (defect.original) return 'duplicate'
    const states = (byDefect.get(defect) ?? []).map((task) => task.state)
    const isClosedSite = defect.site.status === 'decommissioned'
    if (states.length === 0) {
      if (isClosedSite || defect.day < -60) return random.chance(isClosedSite ? 1 : 0.7) ? 'closed' : 'mitigated'
      return random.chance(0.7) ? 'open' : 'mitigated'
    }
    if (states.every((state) => state === 'verified' || state === 'dropped')) {
      return isClosedSite || random.chance(0.9) ? 'closed' : 'mitigated'
    }
    return states.includes('to_verify') ? 'mitigated' : 'open'
  }
}

export function renderActions(seed: number, calendar: Calendar, tasks: readonly Task[]): readonly ActionRow[] {
  const random = createRandom(seed, 'action rows')
  return tasks.map((task, index) => {
    const { defect, contractor, state } = task
    const createdAt = calendar.moment(task.day, Math.max(defect.minute + 30, 600))
    const changedAt = calendar.moment(Math.min(task.day + random.integer(1, 40), -1), random.integer(480, 1000))
    const hours = random.integer(1, 24) / 2
    return {
      id: task.id,
      number: `ACT-${String(index + 1).padStart(5, '0')}`,
      finding_id: defect.id,
      site_id: defect.site.id,
      team_id: defect.staff.team.id,
      owner_id: task.owner.id,
      contractor_id: contractor?.id ?? null,
      verified_by: state === 'verified' ? defined(defect.staff.lead, 'a team has a lead').id : null,
      title: task.title,
      detail: random.pick(ACTION_DETAILS),
      state,
      priority: task.priority,
      due_on: calendar.day(task.dueDay),
      est_hours: hours,
      cost: contractor ? Math.round(hours * random.integer(55, 120)) : null,
      blocked_reason: state === 'blocked' ? random.pick(BLOCKED_REASONS) : null,
      created_by: defect.staff.lead.user_id,
      created_at: createdAt,
      updated_at: state === 'open' || changedAt < createdAt ? createdAt : changedAt,
    }
  })
}
