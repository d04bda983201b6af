import { photoMessages as words } from '../../messages/photos.ts'
import type { ChipLooks } from './sync-chip.ts'

/** Files that are on their way to the server. */
export interface FilesUnderWay {
  readonly count: number
  /** 0 to 100 of all their bytes, while one is being sent. */
  readonly percent: number | undefined
}

/** While all rows are up to date, the chip tells of files that are not. */
export function withFiles(looks: ChipLooks, { count, percent }: FilesUnderWay): ChipLooks {
  if (looks.kind !== 'up_to_date' || count === 0) return looks
  const detail = words.chipDetail(count)
  return percent === undefined
    ? { kind: 'waiting', glyph: 'clock', tone: 'warning', text: words.chipWaiting(count), detail }
    : { kind: 'sending', glyph: 'arrow-up', tone: 'info', text: words.chipSending(count, percent), detail }
}
