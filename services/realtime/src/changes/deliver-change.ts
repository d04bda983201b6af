import { FanOut } from '../wire/encode.ts'
import { subscriptionsOf, type Addressees } from './addressees.ts'
import type { Prepared } from './prepare-changes.ts'
import { renderChange } from './render-change.ts'
import type { Subscriber } from './subscription.ts'
import type { TableInfo } from './table-info.ts'

/** Sends one message to each channel, covering all its matching subscriptions. */
export function deliverChange(info: TableInfo, one: Prepared, addressees: readonly Addressees[]): void {
  const data = new Map<string, string>()
  const messages = new Map<string, FanOut>()
  const told = new Map<Subscriber, Map<string, number[]>>()
  for (const some of addressees) {
    const { role, access } = some.class
    for (const { subscriber, select, id } of subscriptionsOf(some)) {
      const variant = JSON.stringify([role, select])
      if (!data.has(variant)) data.set(variant, renderChange(info, access, select, one))
      const variants = told.get(subscriber) ?? new Map<string, number[]>()
      told.set(subscriber, variants)
      const ids = variants.get(variant)
      if (ids) ids.push(id)
      else variants.set(variant, [id])
    }
  }
  for (const [subscriber, variants] of told) {
    for (const [variant, found] of variants) {
      const ids = found.toSorted((left, right) => left - right)
      const name = JSON.stringify([subscriber.topic, variant, ids])
      const fanOut =
        messages.get(name) ??
        FanOut.ofText(
          subscriber.topic,
          'postgres_changes',
          `{"ids":${JSON.stringify(ids)},"data":${data.get(variant)}}`,
        )
      messages.set(name, fanOut)
      subscriber.deliver(fanOut)
    }
  }
}
