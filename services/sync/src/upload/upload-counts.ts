import type { UploadResponse } from '@holdfast/protocol'

/** Results of uploaded transactions since the process started. */
export interface UploadCounts {
  readonly applied: number
  readonly refused: number
  /** Judged earlier, when the device did not receive the response. */
  readonly repeated: number
}

/** Counts results as they are sent. */
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
