import { errorMessage, type Logger } from '@holdfast/foundation'
import { SQLSTATE, sqlstateOf, type Pool, type PoolShare } from '@holdfast/postgres'
import { findAudiences, type Audience } from './audience.ts'
import { judge, type Answer } from './judge.ts'
import type { Prepared } from './prepare-changes.ts'
import type { Subscription } from './subscription.ts'
import type { FilterGroup, SubscriberClass, SubscriptionIndex } from './subscription-index.ts'
import type { TableInfo } from './table-info.ts'

/** Members of a class whose subscriptions to this change have the same filter. */
export interface Addressees {
  readonly class: SubscriberClass
  readonly group: FilterGroup
}

export interface AddresseeContext {
  readonly readerPool: Pool
  readonly evaluatorPool: Pool
  readonly share: PoolShare
  readonly logger: Logger
  /** A policy failed or timed out for a class. */
  onFailure(one: SubscriberClass, problem: { readonly message: string; readonly isSlow: boolean }): void
}

/** Finds the subscribers of each change with one query per class that could be concerned. */
export async function findAddressees(
  context: AddresseeContext,
  info: TableInfo,
  index: SubscriptionIndex,
  changes: readonly Prepared[],
): Promise<readonly (readonly Addressees[])[]> {
  const audiences = await audiencesOf(context, info, index, changes)
  const asked = new Map<SubscriberClass, Map<Prepared, number>>()
  const wanted = changes.map((one) => {
    const found: (Addressees & { readonly isJudged: boolean })[] = []
    for (const group of one.passed) {
      if (group.event !== '*' && group.event !== one.kind) continue
      for (const [role, classes] of group.classes) {
        const isJudged = isRestricted(index, role) && isAsked(info, group, one)
        const audience = isJudged ? audiences.get(role)?.get(one) : undefined
        for (const member of membersOf(classes, audience)) {
          found.push({ class: member, group, isJudged })
          if (!isJudged) continue
          const rows = asked.get(member) ?? new Map<Prepared, number>()
          if (!rows.has(one)) rows.set(one, rows.size)
          asked.set(member, rows)
        }
      }
    }
    return found
  })
  const answers = await ask(context, info, asked)
  return wanted.map((found, position) => {
    const one = changes[position] as Prepared
    return found.filter(({ class: member, isJudged }) => {
      if (!isJudged) return true
      const answer = answers.get(member)
      return Array.isArray(answer) && answer[asked.get(member)?.get(one) ?? -1] === true
    })
  })
}

const isRestricted = (index: SubscriptionIndex, role: string): boolean =>
  index.roles.get(role)?.access.condition !== undefined

/**
 * Whether policies must be evaluated. A deleted row cannot be judged, so all subscribers of the table receive its key. A filter over other columns would reveal
 * more of the row, so it requires policies that would show the row.
 */
function isAsked(info: TableInfo, { filter }: FilterGroup, { kind }: Prepared): boolean {
  return kind !== 'DELETE' || (filter !== undefined && filter.conditions.some(({ column }) => !info.key.has(column)))
}

/** Iterates over the smaller set. */
function* membersOf(classes: ReadonlySet<SubscriberClass>, audience: Audience): Iterable<SubscriberClass> {
  if (!audience) yield* classes
  else if (audience.size < classes.size) {
    for (const one of audience) if (classes.has(one)) yield one
  } else for (const one of classes) if (audience.has(one)) yield one
}

/** Returns for each role the classes each change may concern, for changes that need evaluation. */
async function audiencesOf(
  context: AddresseeContext,
  info: TableInfo,
  index: SubscriptionIndex,
  changes: readonly Prepared[],
): Promise<ReadonlyMap<string, ReadonlyMap<Prepared, Audience>>> {
  const audiences = new Map<string, ReadonlyMap<Prepared, Audience>>()
  for (const [role, own] of index.roles) {
    if (own.access.condition === undefined || own.classes.size === 0) continue
    const concerned = changes.filter((one) =>
      [...one.passed].some((group) => group.classes.has(role) && isAsked(info, group, one)),
    )
    if (concerned.length === 0) continue
    const found = await findAudiences(
      context,
      info,
      own,
      concerned.map(({ judged }) => judged),
    )
    audiences.set(role, new Map(concerned.map((one, position) => [one, found[position]])))
  }
  return audiences
}

async function ask(
  { share, onFailure }: AddresseeContext,
  info: TableInfo,
  asked: ReadonlyMap<SubscriberClass, ReadonlyMap<Prepared, number>>,
): Promise<ReadonlyMap<SubscriberClass, Answer>> {
  if (asked.size === 0) return new Map()
  const classes = [...asked.keys()]
  const questions = classes.map(({ role, claims, access }) => ({
    session: { role, claims },
    condition: access.condition ?? 'false',
  }))
  const answers = await judge(
    share,
    info,
    questions.map((question, position) => {
      const rows = asked.get(classes[position] as SubscriberClass)
      return { ...question, rows: [...(rows?.keys() ?? [])].map(({ judged }) => judged.literal) }
    }),
  )
  return new Map(
    classes.map((one, position) => {
      const answer = answers[position] as Answer
      // A failing policy denies access, as it would in a query. A timeout leaves the answer unknown.
      if (answer instanceof Error)
        onFailure(one, { message: errorMessage(answer), isSlow: sqlstateOf(answer) === SQLSTATE.queryCanceled })
      return [one, answer]
    }),
  )
}

/** Yields the current subscriptions of some addressees. */
export function subscriptionsOf(addressees: Addressees): Iterable<Subscription> {
  return addressees.class.subscriptions.get(addressees.group) ?? []
}
