/** Minimum body size for compression; smaller ones fit into one packet anyway. */
export const PACKED_FROM = 1_024

/** Responses of a server or intermediary that cannot decompress. */
const NOT_READ = new Set([400, 415, 422, 501])

/** Consecutive uploads that failed compressed and succeeded uncompressed before compression is disabled. */
const DOUBTS_MAX = 2

/** Whether uploads are compressed. */
export interface Packing {
  /**
   * `later`: the previous one got no response, and this one is sent uncompressed: a proxy may block the encoding header for other origins, which looks like a
   * network failure.
   */
  readonly when: 'now' | 'later' | 'never'
  /** Consecutive uploads that failed compressed and succeeded uncompressed. */
  readonly doubts: number
}

export const PACKS: Packing = { when: 'now', doubts: 0 }
export const NEVER_PACKS: Packing = { when: 'never', doubts: 0 }

/** @param status - of the response; `undefined` for none */
export function afterUpload(packing: Packing, isPacked: boolean, status: number | undefined): Packing {
  if (isPacked) {
    if (isNotRead(status)) return NEVER_PACKS
    return status === undefined ? { ...packing, when: 'later' } : PACKS
  }
  if (packing.when !== 'later') return packing
  if (status === undefined) return { ...packing, when: 'now' }
  return packing.doubts + 1 >= DOUBTS_MAX ? NEVER_PACKS : { when: 'now', doubts: packing.doubts + 1 }
}

/** Whether the response means that the compressed body was not understood. */
export function isNotRead(status: number | undefined): boolean {
  return status !== undefined && NOT_READ.has(status)
}
