import type { SubscriptionReason } from '@holdfast/protocol'

/** Priority and subscriptions of a device's bucket. Buckets with equal grants share one object. */
export interface BucketGrant {
  readonly priority: number
  readonly subscriptions: readonly SubscriptionReason[]
  /** Whether a subscription names the bucket, which is then announced even without rows. */
  readonly isSubscribed: boolean
  /** Equal for equal grants. */
  readonly text: string
}
