import type { Logger } from '@holdfast/foundation'
import { fullClassLists } from '../../buckets/access-classes.ts'
import type { ActivePlan } from '../../buckets/active-plan.ts'
import type { ClassList } from '../../buckets/class-list.ts'

/** Logs full lists of access classes, once per list and once per author whose share is full. */
export class ClassNotices {
  readonly #logger: Logger
  /** Logged entries per list: authors, and `null` for the list itself. */
  readonly #logged = new WeakMap<ClassList, Set<string | null>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  log(active: ActivePlan): void {
    for (const list of fullClassLists(active)) {
      const logged = this.#logged.get(list) ?? new Set<string | null>()
      this.#logged.set(list, logged)
      for (const who of fullFor(list)) {
        if (logged.has(who)) continue
        logged.add(who)
        this.#logOne(list, who)
      }
    }
  }

  #logOne({ table, policy, max, perAuthorMax }: ClassList, author: string | null): void {
    if (author === null)
      this.#logger.log('warn', 'a table has too many access classes: rows of the newest are left out', {
        table,
        policy,
        max,
      })
    else
      this.#logger.log(
        'warn',
        'an account has brought more access classes than its share: rows of the newest are left out',
        { table, policy, max: perAuthorMax, author },
      )
  }
}

/** Returns the authors whose share of a list is used up, and `null` if the list is full. */
function fullFor({ leftOut, leftOutOf }: ClassList): readonly (string | null)[] {
  const ofAuthors = [...leftOutOf.values()].reduce((sum, count) => sum + count, 0)
  return leftOut > ofAuthors ? [...leftOutOf.keys(), null] : [...leftOutOf.keys()]
}
