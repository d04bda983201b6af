import { ClaimIndex } from './claim-index.ts'
import { classOf } from './classes.ts'
import { FilterLookup } from './filter-lookup.ts'
import type { Filter } from './filter.ts'
import type { RoleAccess } from './role-access.ts'
import type { ChangeKind, Subscription } from './subscription.ts'
import type { TableInfo } from './table-info.ts'

type Claims = Readonly<Record<string, unknown>>

/** Users who see the same rows, and their subscriptions. */
export interface SubscriberClass {
  readonly role: string
  readonly claims: Claims
  readonly access: RoleAccess
  /** By event and filter. */
  readonly subscriptions: Map<FilterGroup, Set<Subscription>>
}

/** Subscriptions with the same event and filter. */
export interface FilterGroup {
  readonly event: ChangeKind | '*'
  readonly filter: Filter | undefined
  /** Classes with such subscriptions, by role. */
  readonly classes: Map<string, Set<SubscriberClass>>
}

/** The classes of one role. */
export interface RoleClasses {
  readonly access: RoleAccess
  readonly classes: Set<SubscriberClass>
  /** `undefined` if a row may concern any user. */
  readonly byClaim: ClaimIndex<SubscriberClass> | undefined
  /** Until then all classes are evaluated, because reading the links failed. */
  unlinkedUntilMs: number
}

/** Index of the subscriptions to one table, to find those of a change without scanning all. Valid as long as the table's catalog information. */
export class SubscriptionIndex {
  readonly roles = new Map<string, RoleClasses>()
  readonly filters: FilterLookup<FilterGroup>
  readonly #unread: readonly string[]
  readonly #groups = new Map<string, FilterGroup>()
  readonly #classes = new Map<string, SubscriberClass>()
  readonly #places = new Map<Subscription, readonly [name: string, one: SubscriberClass, group: FilterGroup]>()

  constructor(info: TableInfo, unread: readonly string[]) {
    this.filters = new FilterLookup(info)
    this.#unread = unread
    for (const [role, access] of info.roles) {
      const byClaim = access.links && new ClaimIndex<SubscriberClass>(access.links)
      this.roles.set(role, { access, classes: new Set(), byClaim, unlinkedUntilMs: 0 })
    }
  }

  /** Also used when a user's claims change. A subscription whose role was not read from the catalog belongs to no class. */
  add(subscription: Subscription): void {
    this.remove(subscription)
    const { role, claims } = subscription.subscriber.identity()
    const own = this.roles.get(role)
    if (!own) return
    const name = classOf(role, claims, own.access, this.#unread)
    const known = this.#classes.get(name)
    const one = known ?? { role, claims, access: own.access, subscriptions: new Map() }
    if (!known) {
      this.#classes.set(name, one)
      own.classes.add(one)
      own.byClaim?.add(claims, one)
    }
    const group = this.#groupOf(subscription)
    const ofGroup = one.subscriptions.get(group) ?? new Set()
    one.subscriptions.set(group, ofGroup.add(subscription))
    const ofRole = group.classes.get(role) ?? new Set()
    group.classes.set(role, ofRole.add(one))
    this.#places.set(subscription, [name, one, group])
  }

  remove(subscription: Subscription): void {
    const place = this.#places.get(subscription)
    if (!place) return
    const [name, one, group] = place
    this.#places.delete(subscription)
    const ofGroup = one.subscriptions.get(group)
    ofGroup?.delete(subscription)
    if (ofGroup?.size !== 0) return
    one.subscriptions.delete(group)
    const ofRole = group.classes.get(one.role)
    ofRole?.delete(one)
    if (ofRole?.size === 0) group.classes.delete(one.role)
    if (group.classes.size === 0) {
      this.#groups.delete(keyOf(group))
      this.filters.remove(group)
    }
    if (one.subscriptions.size > 0) return
    this.#classes.delete(name)
    const own = this.roles.get(one.role)
    own?.classes.delete(one)
    own?.byClaim?.remove(one.claims, one)
  }

  #groupOf(subscription: Subscription): FilterGroup {
    const key = keyOf(subscription)
    const known = this.#groups.get(key)
    if (known) return known
    const { event, filter } = subscription
    const group: FilterGroup = { event, filter, classes: new Map() }
    this.#groups.set(key, group)
    this.filters.add(group)
    return group
  }
}

function keyOf({ event, filter }: Pick<FilterGroup, 'event' | 'filter'>): string {
  return JSON.stringify([event, filter?.text])
}
