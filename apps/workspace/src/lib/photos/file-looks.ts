import type { FileEntry, TransferPause } from '@holdfast/client'
import { photoMessages as words } from '../../messages/photos.ts'
import type { GlyphName } from '../glyph-name.ts'
import { percentSent } from '../percent-sent.ts'

/** Display state of a file: icon and text. */
export interface FileLooks {
  readonly glyph: GlyphName
  readonly text: string
  /** One or two words, for the strip over an image. */
  readonly short: string
  readonly tone: 'quiet' | 'info' | 'warning' | 'danger'
  /** 0 to 1 while sending. */
  readonly progress?: number
}

/**
 * Returns the status to display; `undefined` if the file is both local and on the server.
 *
 * @param pause - why transfers are paused
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

/** Explains why storage refused a file, in the user's terms; otherwise the server's message. */
export function reasonOf({ problem }: Pick<FileEntry, 'problem'>): string {
  return (problem && words.reasons[problem.code]) ?? problem?.message ?? words.unknownReason
}
