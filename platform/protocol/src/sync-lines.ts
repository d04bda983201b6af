/** The sync stream's request and lines in `@powersync/*` 2.x. @see the PowerSync service's sync protocol specification */
export interface SyncRequest {
  readonly buckets?: readonly { readonly name: string; readonly after: string }[]
  readonly include_checksum?: boolean
  readonly raw_data?: boolean
  readonly binary_data?: boolean
  readonly client_id?: string
  readonly parameters?: Readonly<Record<string, unknown>> | null
  readonly streams?: {
    readonly include_defaults?: boolean
    readonly subscriptions: readonly {
      readonly stream: string
      readonly parameters: Readonly<Record<string, unknown>> | null
      readonly override_priority: number | null
    }[]
  }
  readonly app_metadata?: Readonly<Record<string, string>>
}

export interface BucketDescription {
  readonly bucket: string
  /** Sum of the checksums of all operations, modulo 2^32, as a signed 32-bit integer. */
  readonly checksum: number
  readonly count: number
  readonly priority: number
  /** Why the device has the bucket. */
  readonly subscriptions: readonly SubscriptionReason[]
}

/** An index into the checkpoint's streams or the request's subscriptions. */
export type SubscriptionReason = { readonly default: number } | { readonly sub: number }

export interface StreamDescription {
  readonly name: string
  /** Whether devices that request the defaults have the stream. */
  readonly is_default: boolean
  readonly errors: readonly {
    /** An index into the request's subscriptions. */
    readonly subscription: 'default' | number
    readonly message: string
  }[]
}

export interface CheckpointLine {
  readonly checkpoint: {
    readonly last_op_id: string
    readonly write_checkpoint?: string
    readonly buckets: readonly BucketDescription[]
    readonly streams: readonly StreamDescription[]
  }
}

export interface CheckpointDiffLine {
  readonly checkpoint_diff: {
    readonly last_op_id: string
    readonly write_checkpoint?: string
    readonly removed_buckets: readonly string[]
    readonly updated_buckets: readonly BucketDescription[]
  }
}

export interface CheckpointCompleteLine {
  readonly checkpoint_complete: { readonly last_op_id: string }
}

export interface PartialCheckpointCompleteLine {
  readonly partial_checkpoint_complete: { readonly last_op_id: string; readonly priority: number }
}

export interface TokenExpiresInLine {
  readonly token_expires_in: number
}

/** All lines except `data`, which is assembled from stored bytes. */
export type ControlLine =
  | CheckpointLine
  | CheckpointDiffLine
  | CheckpointCompleteLine
  | PartialCheckpointCompleteLine
  | TokenExpiresInLine
