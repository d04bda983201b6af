import type { FileEntry, TransferPause } from '@holdfast/client'
import { photoMessages as words } from '../../messages/photos.ts'
import type { GlyphName } from '../glyph-name.ts'
import { percentSent } from '../percent-sent.ts'

/** How a file stands, in a shape and words. */
export interface FileLooks {
  readonly glyph: GlyphName
  readonly text: string
  /** For the strip over a picture, where there is room for a word or two. */
  readonly short: string
  readonly tone: 'quiet' | 'info' | 'warning' | 'danger'
  /** 0 to 1 while it is being sent. */
  readonly progress?: number
}

/**
 * What a person is told of a file; `undefined` when it is here and on the server, and nothing has to be said.
 *
 * @param pause - why files are not transferred now
 */
export function fileLooks(file: FileEntry, pause: TransferPause): FileLooks | undefined {
  switch (file.state) {
    case 'captured':
    case 'preparing':
      return { glyph: 'clock', tone: 'quiet', text: words.onDevice, short: words.waiting }
    case 'queued':
      return {
        glyph: 'clock',
        tone: 'quiet',
        text: file.isPaused ? words.paused : waitingText(file, pause),
        short: words.waiting,
      }
    case 'uploading':
    case 'uploaded': {
      const progress = file.size === 0 ? 0 : Math.min(1, file.sentBytes / file.size)
      const percent = percentSent(file.sentBytes, file.size)
      return { glyph: 'arrow-up', tone: 'info', progress, text: words.sending(percent), short: `${percent} %` }
    }
    case 'refused':
      return { glyph: 'triangle', tone: 'danger', text: words.refused(reasonOf(file)), short: words.refusedTitle }
    case 'elsewhere':
      return { glyph: 'cloud-off', tone: 'quiet', text: words.elsewhere, short: words.elsewhere }
    case 'remote':
    case 'evicted':
      return { glyph: 'arrow-down', tone: 'quiet', text: words.notHere, short: words.notHere }
    case 'queued_download':
      return {
        glyph: 'arrow-down',
        tone: 'quiet',
        text: pause === undefined ? words.loading : words.loadsLater,
        short: words.loading,
      }
    case 'downloading':
      return { glyph: 'arrow-down', tone: 'info', text: words.loading, short: words.loading }
    case 'unavailable':
      return { glyph: 'question', tone: 'warning', text: words.unavailable, short: words.unavailable }
    case 'linked':
    case 'cached':
      return undefined
    default:
      return file.state satisfies never
  }
}

function waitingText({ attempts, problem, uploadUrl, sentBytes, size }: FileEntry, pause: TransferPause): string {
  if (pause === undefined && attempts > 0 && problem) return words.tryingAgain
  if (uploadUrl !== undefined && sentBytes > 0) return words.partSent(percentSent(sentBytes, size))
  return pause === 'metered' ? words.waitsForWifi : words.onDevice
}

/** Why storage did not take a file, in the words of who took the photo; else the server's. */
export function reasonOf({ problem }: Pick<FileEntry, 'problem'>): string {
  return (problem && words.reasons[problem.code]) ?? problem?.message ?? words.unknownReason
}
