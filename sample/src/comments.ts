import { assert } from '@holdfast/foundation'
import type { Task } from './actions.ts'
import type { Calendar } from './calendar.ts'
import type { Defect } from './findings.ts'
import type { Visit } from './visit.ts'
import { createId, createRandom, type Random } from './random.ts'
import type { CommentRow, PersonRow } from './rows.ts'
import { SIZES } from './sizes.ts'
import type { SiteStaff } from './staff.ts'
import { COMMENTS, REPLIES } from './words/remarks.ts'

const COMMENTS_BY_TABLE = { actions: 3_900, findings: 2_000, inspections: 1_000 } as const
const MINUTES_PER_DAY = 1_440

interface Subject {
  readonly table: keyof typeof COMMENTS_BY_TABLE
  readonly id: string
  /** Day of the record's creation, relative to today. */
  readonly day: number
  readonly staff: SiteStaff
  readonly contractorId: string | undefined
}

/** Generates comments on actions, findings and inspections, by team members, the contractor's staff on actions, and occasionally an auditor. */
export function generateComments(input: {
  readonly seed: number
  readonly calendar: Calendar
  readonly tasks: readonly Task[]
  readonly defects: readonly Defect[]
  readonly visits: readonly Visit[]
  readonly people: readonly PersonRow[]
}): readonly CommentRow[] {
  const { seed, calendar, people } = input
  const random = createRandom(seed, 'comments')
  const comments: CommentRow[] = []
  /** The first comment on a record, and how many minutes ago it was written. */
  const threads = new Map<string, { readonly id: string; readonly minutesAgo: number }>()

  function add(subject: Subject): void {
    const id = createId(seed, 'comments', comments.length)
    const thread = threads.get(subject.id)
    const isReply = thread !== undefined && thread.minutesAgo > 60 && random.chance(0.5)
    const ageMinutes = isReply ? thread.minutesAgo : Math.max(-subject.day * MINUTES_PER_DAY - 600, 120)
    const minutesAgo = random.integer(Math.max(5, ageMinutes - (isReply ? 3 : 30) * MINUTES_PER_DAY), ageMinutes - 1)
    const at = calendar.minutesAgo(minutesAgo)
    if (!thread) threads.set(subject.id, { id, minutesAgo })
    comments.push({
      id,
      table_name: subject.table,
      record_id: subject.id,
      area: subject.staff.area,
      parent_id: isReply ? thread.id : null,
      body: random.pick(isReply ? REPLIES : COMMENTS[subject.table]),
      author_id: pickAuthor(random, subject, people).user_id,
      edited_at: random.chance(0.03) ? calendar.minutesAgo(Math.max(minutesAgo - 10, 1)) : null,
      resolved_at: !isReply && random.chance(0.1) ? calendar.minutesAgo(Math.max(minutesAgo - 300, 1)) : null,
      created_at: at,
      updated_at: at,
    })
  }

  for (const subject of shareOut(random, actionSubjects(input.tasks), COMMENTS_BY_TABLE.actions)) add(subject)
  for (const subject of shareOut(random, findingSubjects(input.defects), COMMENTS_BY_TABLE.findings)) add(subject)
  for (const subject of shareOut(random, inspectionSubjects(input.visits), COMMENTS_BY_TABLE.inspections)) add(subject)
  assert(comments.length === SIZES.comments, 'the tables add up to all comments')
  return comments
}

/** Picks the given number of subjects; some occur several times, most once. */
function shareOut(random: Random, subjects: readonly Subject[], count: number): Subject[] {
  return Array.from({ length: count }, () => random.pick(subjects))
}

function pickAuthor(random: Random, { staff, contractorId }: Subject, people: readonly PersonRow[]): PersonRow {
  if (random.chance(0.04)) return random.pick(people.filter((person) => person.kind === 'auditor'))
  if (contractorId && random.chance(0.4))
    return random.pick(people.filter((person) => person.contractor_id === contractorId))
  return random.chance(0.3) ? staff.lead : random.pick(staff.members)
}

const actionSubjects = (tasks: readonly Task[]): Subject[] =>
  tasks.map(({ id, day, defect, contractor }) => ({
    table: 'actions',
    id,
    day,
    staff: defect.staff,
    contractorId: contractor?.id,
  }))

const findingSubjects = (defects: readonly Defect[]): Subject[] =>
  defects.map(({ id, day, staff }) => ({ table: 'findings', id, day, staff, contractorId: undefined }))

const inspectionSubjects = (visits: readonly Visit[]): Subject[] =>
  visits
    .filter(({ day }) => day < 0)
    .map(({ id, day, staff }) => ({ table: 'inspections', id, day, staff, contractorId: undefined }))
