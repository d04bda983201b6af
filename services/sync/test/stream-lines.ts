/** An operation as a device reads it. */
export interface ReadOp {
  readonly op_id: string
  readonly op: 'PUT' | 'REMOVE' | 'MOVE' | 'CLEAR'
  readonly object_type?: string
  readonly object_id?: string
  readonly data?: string | null
  readonly checksum: number
}

export interface DescribedBucket {
  readonly bucket: string
  readonly checksum: number
  readonly count: number
  readonly priority: number
  readonly subscriptions: readonly object[]
}

/** Any line of the stream; exactly one key is there. */
export interface ReadLine {
  readonly checkpoint?: {
    readonly last_op_id: string
    readonly write_checkpoint?: string
    readonly buckets: readonly DescribedBucket[]
    readonly streams: readonly object[]
  }
  readonly checkpoint_diff?: {
    readonly last_op_id: string
    readonly write_checkpoint?: string
    readonly removed_buckets: readonly string[]
    readonly updated_buckets: readonly DescribedBucket[]
  }
  readonly data?: {
    readonly bucket: string
    readonly after: string
    readonly has_more: boolean
    readonly next_after: string
    readonly data: readonly ReadOp[]
  }
  readonly checkpoint_complete?: { readonly last_op_id: string }
  readonly partial_checkpoint_complete?: { readonly last_op_id: string; readonly priority: number }
  readonly token_expires_in?: number
}
