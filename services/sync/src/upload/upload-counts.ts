import type { UploadResponse } from '@holdfast/protocol'

/** What became of the transactions of devices, since the process began. */
export interface UploadCounts {
  readonly applied: number
  readonly refused: number
  /** Judged before: the device had not got the answer. */
  readonly repeated: number
}

/** Counts judgements as they are answered. */
export class UploadCounter implements UploadCounts {
  applied = 0
  refused = 0
  repeated = 0

  add({ status, repeated }: Pick<UploadResponse, 'status' | 'repeated'>): void {
    if (repeated) this.repeated += 1
    else this[status] += 1
  }

  counts(): UploadCounts {
    const { applied, refused, repeated } = this
    return { applied, refused, repeated }
  }
}
