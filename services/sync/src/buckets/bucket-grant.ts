import type { SubscriptionReason } from '@holdfast/protocol'

/** How a device has a bucket. The same object for buckets that it has for the same reasons. */
export interface BucketGrant {
  readonly priority: number
  readonly subscriptions: readonly SubscriptionReason[]
  /** Whether a subscription names it, which then shows that it is there even without rows. */
  readonly isSubscribed: boolean
  /** The same for equal grants. */
  readonly text: string
}
