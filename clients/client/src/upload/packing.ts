/** Bytes from which a body goes up packed: below, it is one packet either way. */
export const PACKED_FROM = 1_024

/** What somebody answers who cannot read a packed body: an older server, or one that stands between. */
const NOT_READ = new Set([400, 415, 422, 501])

/** After so many packed uploads in a row that had no answer, while the same one had one as it is, all go as they are. */
const DOUBTS_MAX = 2

/** Whether uploads go up packed. */
export interface Packing {
  /** `later`: the one before had no answer, and this one goes as it is: a proxy may keep other origins from naming an encoding, which looks like a broken line. */
  readonly when: 'now' | 'later' | 'never'
  /** Packed uploads without an answer that had one as they are, in a row. */
  readonly doubts: number
}

export const PACKS: Packing = { when: 'now', doubts: 0 }
export const NEVER_PACKS: Packing = { when: 'never', doubts: 0 }

/** @param status - of the answer; `undefined`: there was none */
export function afterUpload(packing: Packing, isPacked: boolean, status: number | undefined): Packing {
  if (isPacked) {
    if (isNotRead(status)) return NEVER_PACKS
    return status === undefined ? { ...packing, when: 'later' } : PACKS
  }
  if (packing.when !== 'later') return packing
  if (status === undefined) return { ...packing, when: 'now' }
  return packing.doubts + 1 >= DOUBTS_MAX ? NEVER_PACKS : { when: 'now', doubts: packing.doubts + 1 }
}

/** Whether a packed upload was answered by somebody who could not read it. */
export function isNotRead(status: number | undefined): boolean {
  return status !== undefined && NOT_READ.has(status)
}
